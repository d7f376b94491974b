import type { Io, OutputStream } from '../io.js';

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
