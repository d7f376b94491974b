import stringWidth from 'fast-string-width';
import type { Io, OutputStream } from '../command.js';
import { columnsOf, rowsOf } from './fit.js';
import { printableLine, stylesFor } from './print.js';

type Cells = readonly string[];

/**
 * A table without rules whose columns fit their cells. A cell is one line. On a terminal that is too narrow, each row is
 * a block instead, with a line per cell; cells without a value are left out.
 */
export function table(head: Cells, rows: readonly Cells[], stream: Pick<OutputStream, 'isTTY' | 'columns'>): string {
  const lines = [head, ...rows].map((cells) => cells.map((text) => ({ text, width: stringWidth(text) })));
  const widths = head.map((_, column) => lines.reduce((most, cells) => Math.max(most, cells[column]?.width ?? 0), 0));
  const columns = columnsOf(stream);
  const total = widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  if (columns !== undefined && total > columns && rows.length > 0) return blocks(head, rows, columns);
  const drawn = lines.map((cells) =>
    cells.map(({ text, width }, column) => text + ' '.repeat((widths[column] ?? width) - width + gap)).join(''),
  );
  return drawn.map((line) => `${line.trimEnd()}\n`).join('');
}

const gap = 2;

/** The first cell is the heading of its block. In a table of two columns the other one needs no title. */
function blocks(head: Cells, rows: readonly Cells[], columns: number): string {
  const [, ...titles] = head;
  const widths = titles.map((title) => stringWidth(title));
  const titleWidth = titles.length === 1 ? 0 : Math.max(...widths) + gap;
  return rows
    .flatMap(([heading = '', ...cells]) => {
      const facts = cells.flatMap((cell, at) => {
        if (isEmpty(cell)) return [];
        const title = titleWidth === 0 ? '' : (titles[at] ?? '');
        const filling = titleWidth === 0 ? 0 : titleWidth - (widths[at] ?? 0);
        return rowsOf(`${' '.repeat(gap)}${title}${' '.repeat(filling)}${cell}`, columns, gap + titleWidth);
      });
      return [...rowsOf(heading.trim(), columns, gap), ...facts];
    })
    .map((row) => `${row}\n`)
    .join('');
}

/** Also where colours surround it. */
function isEmpty(cell: string): boolean {
  const width = stringWidth(cell);
  return width === 0 || (width === 1 && cell.includes('-'));
}

interface NamedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

const maxNameLength = 200;
/** Bounds what a server writes; not a matter of width. */
const maxDescriptionLength = 1_000;
/** Below this width, descriptions go below the names. */
const leastDescriptionWidth = 30;
const mostRows = 3;

/** A line per tool with its name and description, which a terminal gets as far as it fits. */
export function toolLines(tools: readonly NamedTool[], io: Io): string {
  const { cyan, dim } = stylesFor(io.stdout, io);
  const columns = columnsOf(io.stdout);
  const nameWidth = Math.max(4, ...tools.map(({ name }) => Math.min(name.length, maxNameLength)));
  return table(
    [dim('Tool'), dim('Description')],
    tools.map(({ name, title, description }) => [
      cyan(printableLine(name, maxNameLength)),
      printableLine(description ?? title ?? '', descriptionRoom(columns, nameWidth)),
    ]),
    io.stdout,
  );
}

function descriptionRoom(columns: number | undefined, nameWidth: number): number {
  if (columns === undefined) return maxDescriptionLength;
  const room = columns - nameWidth - gap;
  return room >= leastDescriptionWidth ? room : (columns - gap) * mostRows;
}
