import stringWidth from 'fast-string-width';
import type { OutputStream } from '../command.js';

type Width = Pick<OutputStream, 'isTTY' | 'columns'>;

/** Narrower terminals, and those that say 0, wrap lines themselves. */
const fewestColumns = 20;

/** Columns of a terminal. `undefined` for pipes and files, in which no line is broken or cut. */
export function columnsOf({ isTTY = false, columns = 0 }: Width): number | undefined {
  return isTTY && columns >= fewestColumns ? columns : undefined;
}

/** Breaks lines that are wider than a terminal, at blanks. Further rows are indented by two more than their line. */
export function fit(text: string, stream: Width): string {
  const columns = columnsOf(stream);
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => rowsOf(line, columns, indentOf(line) + 2))
    .join('\n');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * Rows of one line, of which colours take no space.
 *
 * @param indent - Blanks before all rows but the first. Not more than half of `columns`.
 */
export function rowsOf(line: string, columns: number, indent: number): readonly string[] {
  if (stringWidth(line) <= columns) return [line];
  const blanks = ' '.repeat(Math.min(indent, Math.floor(columns / 2)));
  const rows: string[] = [];
  let row = '';
  let width = 0;
  const next = (): void => {
    if (row.trim() !== '') rows.push(row.trimEnd());
    row = blanks;
    width = blanks.length;
  };
  for (const [piece] of line.matchAll(/\s+|\S+/g)) {
    const size = stringWidth(piece);
    const isBlank = piece.trim() === '';
    if (width + size > columns && row.trim() !== '') next();
    if (isBlank && rows.length > 0 && row === blanks) continue;
    const fits = width + size <= columns;
    for (const [part] of fits ? [[piece]] : piece.matchAll(codeOrCharacter)) {
      const more = stringWidth(part);
      if (width + more > columns) next();
      row += part;
      width += more;
    }
  }
  next();
  return rows;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const codeOrCharacter = /\u001b\[[\d;]*m|\P{M}\p{M}*/gu;
