import { stripVTControlCharacters } from 'node:util';

/**
 * Text of a server or a file as it may be shown in a terminal: without escape sequences, control characters, and the
 * invisible characters that reorder or hide text. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(invisible, '');
}

/** The same on one line, cut to `maxLength` characters. */
export function printableLine(text: string, maxLength: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

// Controls but tab and newline; format characters: zero-width, bidirectional, tags; the two odd line separators.
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
