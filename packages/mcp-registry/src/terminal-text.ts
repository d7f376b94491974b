import { HIDDEN_CHARACTER } from '@x/internal/text';

/** Options of `toTerminalText`. */
export interface TerminalTextOptions {
  /** `keep` keeps line feeds and tabs; `fold` turns them into spaces, so that one text is one line. Default `fold`. */
  readonly lines?: 'keep' | 'fold' | undefined;
}

// Sequences as terminals read them (ECMA-48): ESC or its one-byte form, then parameters and a final byte, or a text up
// to a terminator. An unterminated one loses only its beginning, and is then plain text.
const SEQUENCE = new RegExp(
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]' +
    '|(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)' +
    '|\\u001b[ -/]*[0-Z\\\\^-~]',
  'gu',
);

/**
 * A printable form of a foreign text: without escape sequences, control characters, and characters that are hidden or
 * reorder their surroundings. Joined emoji are separated. To see what was hidden, use the excerpts of findings
 * instead.
 */
export function toTerminalText(text: string, { lines = 'fold' }: TerminalTextOptions = {}): string {
  const plain = text.replace(SEQUENCE, '').replace(/\r\n?|[\u0085\u2028\u2029]/gu, '\n');
  const shown = plain.replace(HIDDEN_CHARACTER, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
  return lines === 'keep' ? shown : shown.replace(/[\n\t ]+/g, ' ').trim();
}
