import type { Io, OutputStream } from '../io.js';

/** What went to a stream as JSON so far: one document, or some of those that are a line each. */
const printed = new WeakMap<OutputStream, 'document' | 'lines'>();

/**
 * One JSON document on stdout. `--json` prints nothing else there. Characters that a terminal obeys or does not show are
 * written as `\u009b`, which is the same value for whoever reads the JSON.
 */
export function printJson(value: unknown, { stdout }: Pick<Io, 'stdout'>): void {
  printed.set(stdout, 'document');
  stdout.write(`${escapeInvisible(JSON.stringify(value, null, 2))}\n`);
}

/** The same on one line, for commands that print one document after the other. */
export function printJsonLine(value: unknown, { stdout }: Pick<Io, 'stdout'>): void {
  printed.set(stdout, 'lines');
  stdout.write(`${escapeInvisible(JSON.stringify(value))}\n`);
}

export function jsonPrintedTo({ stdout }: Pick<Io, 'stdout'>): 'nothing' | 'document' | 'lines' {
  return printed.get(stdout) ?? 'nothing';
}

// JSON itself escapes the control characters below U+0020 in texts; line ends between them are its own.
function escapeInvisible(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
