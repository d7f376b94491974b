import { HIDDEN_CHARACTER } from './text.js';

/** Options of `toTerminalText`. */
export interface TerminalTextOptions {
  /** `keep` keeps line feeds and tabs; `fold` turns them into spaces. Default `fold`. */
  readonly lines?: 'keep' | 'fold' | undefined;
}

// As in ECMA-48: ESC or its one-byte form, then parameters and a final byte, or a text up to a terminator.
const SEQUENCE = new RegExp(
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]' +
    '|(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)' +
    '|\\u001b[ -/]*[0-Z\\\\^-~]',
  'gu',
);

/**
 * Removes escape sequences, control characters, hidden characters and those that reorder text. Joined emoji are
 * separated. Excerpts of findings show what was hidden.
 */
export function toTerminalText(text: string, { lines = 'fold' }: TerminalTextOptions = {}): string {
  const plain = text.replace(SEQUENCE, '').replace(/\r\n?|[\u0085\u2028\u2029]/gu, '\n');
  const shown = plain.replace(HIDDEN_CHARACTER, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
  return lines === 'keep' ? shown : shown.replace(/[\n\t ]+/g, ' ').trim();
}
