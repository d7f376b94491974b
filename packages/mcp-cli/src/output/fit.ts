import stringWidth from 'fast-string-width';
import type { Io, OutputStream } from '../command.js';

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

/** Writes a message to stderr, and ends its line. */
export function printNote(text: string, { stderr }: Pick<Io, 'stderr'>): void {
  stderr.write(`${fit(text, stderr)}\n`);
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
  const next = ' '.repeat(Math.min(indent, Math.floor(columns / 2)));
  const rows = broken(line.match(/\s+|\S+/g) ?? [], { columns, first: '', next });
  return rows.map((row) => row.trimEnd()).filter((row) => row !== '');
}

interface Prefixes {
  readonly first: string;
  /** Of all rows but the first. Default: `first`. */
  readonly next?: string;
}

/**
 * Rows of one line that others wrote. A terminal gets a prefix before each row, so that the text cannot imitate a row of
 * this program. The text is broken anywhere, and keeps its blanks. Other streams get one row.
 */
export function prefixedRows(text: string, { first, next = first }: Prefixes, stream: Width): readonly string[] {
  const columns = columnsOf(stream) ?? Number.POSITIVE_INFINITY;
  if (stringWidth(first) + stringWidth(text) <= columns) return [`${first}${text}`];
  return broken([text], { columns, first, next });
}

interface Rows extends Required<Prefixes> {
  readonly columns: number;
}

/** Breaks between pieces, and within those that are wider than a row. Drops blanks at a break between pieces. */
function broken(pieces: readonly string[], { columns, first, next }: Rows): readonly string[] {
  const rows: string[] = [];
  let prefix = first;
  let content = '';
  let width = stringWidth(prefix);
  const end = (): void => {
    rows.push(prefix + content);
    prefix = next;
    content = '';
    width = stringWidth(prefix);
  };
  for (const piece of pieces) {
    const size = stringWidth(piece);
    if (width + size > columns && content.trim() !== '') end();
    if (piece.trim() === '' && rows.length > 0 && content === '') continue;
    const parts = width + size > columns ? piece.match(codeOrCharacter) : [piece];
    for (const part of parts ?? []) {
      const more = stringWidth(part);
      if (width + more > columns) end();
      content += part;
      width += more;
    }
  }
  end();
  return rows;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const codeOrCharacter = /\u001b\[[\d;]*m|\P{M}\p{M}*|\p{M}+/gu;
