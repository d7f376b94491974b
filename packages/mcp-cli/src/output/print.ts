import { nearestName } from '@x/internal/names';
import picocolors from 'picocolors';
import type { Io, OutputStream } from '../command.js';

/**
 * Untrusted text for a terminal: without escape sequences, control characters and invisible characters that reorder or
 * hide text. Line ends and tabs stay. Redaction ignores all of these, so removing them cannot reassemble a secret.
 */
export function printable(text: string): string {
  return text.replace(sequence, '').replace(invisible, '');
}

/** The same on one line, cut to `maxLength` characters. */
export function printableLine(text: string, maxLength: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, word: string): string {
  return `${count} ${count === 1 ? word : `${word}s`}`;
}

// Controls except tab and newline; format characters (zero-width, bidirectional, tags); two line separators.
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
// ECMA-48: a control sequence, a control string up to its end, any other escape sequence.
const sequence = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

export type Styles = ReturnType<typeof picocolors.createColors>;

/** Colours for one stream: on a terminal only, and never with NO_COLOR. @see https://no-color.org */
export function stylesFor(stream: OutputStream, { env }: Pick<Io, 'env'>): Styles {
  const isForced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0';
  const isForbidden = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  return picocolors.createColors(!isForbidden && (isForced || stream.isTTY === true));
}

/** JSON printed to a stream so far: one document, or one document per line. */
const printed = new WeakMap<OutputStream, 'document' | 'lines'>();

/** Prints one JSON document on stdout. Control and invisible characters are escaped, which parses to the same value. */
export function printJson(value: unknown, { stdout }: Pick<Io, 'stdout'>): void {
  printed.set(stdout, 'document');
  stdout.write(`${escapeInvisible(JSON.stringify(value, null, 2))}\n`);
}

/** Prints one document on one line, for commands that print several. */
export function printJsonLine(value: unknown, { stdout }: Pick<Io, 'stdout'>): void {
  printed.set(stdout, 'lines');
  stdout.write(`${escapeInvisible(JSON.stringify(value))}\n`);
}

export function jsonPrintedTo({ stdout }: Pick<Io, 'stdout'>): 'nothing' | 'document' | 'lines' {
  return printed.get(stdout) ?? 'nothing';
}

// JSON escapes characters below U+0020 in strings itself; the line ends are those of the indentation.
function escapeInvisible(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** `Did you mean "x"? ` with a trailing blank, or an empty string when no name is similar. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? '' : `Did you mean "${nearest}"? `;
}
