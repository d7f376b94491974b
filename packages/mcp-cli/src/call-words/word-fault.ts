import { UsageError } from '../command.js';
import { LiteralFault, LiteralReader } from './literal.js';

export interface FaultOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A mistake in the words of a call, with a mark below the place. `at`: offset in `text`. */
export function faultAt(
  message: string,
  { text, at }: { readonly text: string; readonly at: number },
  options: FaultOptions = {},
): UsageError {
  return new UsageError(message, { ...options, details: markedLine(text, at) });
}

/** The same for one of several words. */
export function faultInWord(
  message: string,
  { words, index }: { readonly words: readonly string[]; readonly index: number },
  options: FaultOptions = {},
): UsageError {
  const before = words.slice(0, index).map((word) => `${word} `);
  return faultAt(message, { text: words.join(' '), at: before.join('').length }, options);
}

/** @throws {UsageError} The reader has found a fault. `subject` begins the message. */
export function readLiteral<Value>(subject: string, text: string, read: (reader: LiteralReader) => Value): Value {
  const reader = new LiteralReader(text);
  try {
    const value = read(reader);
    reader.end();
    return value;
  } catch (error) {
    if (!(error instanceof LiteralFault)) throw error;
    throw faultAt(`${subject}: ${error.message}.`, { text, at: error.at }, { hint: spellings, cause: error });
  }
}

/** How arguments may be written. */
export const spellings = `Write path=README.md, --path README.md, '{"path": "README.md"}', or pass - and send a JSON object on stdin.`;

const room = 60;

/** The part of the text around the place, on one line, and a mark below it. */
function markedLine(text: string, at: number): readonly string[] {
  const from = text.length <= room ? 0 : Math.max(0, Math.min(at - room / 2, text.length - room));
  const [left, right] = [from > 0 ? '…' : '', from + room < text.length ? '…' : ''];
  const shown = text.slice(from, from + room).replace(/[\s\p{Cc}\p{Cf}]/gu, ' ');
  return [`${left}${shown}${right}`, `${' '.repeat(left.length + at - from)}^`];
}

/** A word without a name. */
export function strayWord(words: readonly string[], index: number): UsageError {
  const word = words[index] ?? '';
  const isShort = /^-[^-\d]/.test(word);
  const what = isShort
    ? `"${word.slice(0, 80)}" is no option of "mcpx call". Arguments of the tool begin with two dashes.`
    : `The argument "${word.slice(0, 80)}" must have the form key=value.`;
  return faultInWord(what, { words, index }, { hint: spellings });
}
