import { stripVTControlCharacters } from 'node:util';
import type { ServerRow } from '../control/reports.js';
import { areToolsKnown } from '../servers-without-tools.js';
import { printableLine } from './printable.js';
import { maxNameLength, type ServerColumn, serverColumns, type TableCommand } from './server-columns.js';
import type { Styles } from './styles.js';
import { table } from './table.js';

const errorTitle = 'Last error';
/** Below this width, errors go below the table. */
const leastErrorWidth = 30;
const maxErrorLength = 500;

export type ServerTableOptions = Styles & {
  readonly command: TableCommand;
  /** Width of the terminal. Default: unlimited. */
  readonly width?: number | undefined;
};

/** One row per server. Errors are the last column if they fit, else lines below the table. */
export function serverTable(
  rows: readonly ServerRow[],
  { command, width, ...styles }: ServerTableOptions,
  columns: readonly ServerColumn[] = serverColumns,
): string {
  const shown = columns.filter(({ only }) => only === undefined || only.includes(command));
  const facts = drawn(shown, rows, styles);
  const taken = Math.max(...facts.split('\n').map((line) => stripVTControlCharacters(line).length));
  const room = width === undefined ? maxErrorLength : width - taken - 2;

  if (room >= leastErrorWidth) {
    const cell = (row: ServerRow): string => styles.dim(printableLine(errorText(row), room));
    return drawn([...shown, { title: errorTitle, cell }], rows, styles);
  }
  const below = rows.flatMap((row) => {
    const error = errorText(row);
    return error === '' ? [] : [styles.dim(`${printableLine(row.name, maxNameLength)}: ${error}`)];
  });
  return `${facts}${below.map((line) => `${line}\n`).join('')}`;
}

/** The status of one server without colour: `running, healthy, 14 tools`. */
export function stateLine(row: ServerRow): string {
  const tools = areToolsKnown(row) ? [`${row.tools} ${row.tools === 1 ? 'tool' : 'tools'}`] : [];
  const health = row.health === 'unknown' ? [] : [row.health];
  const error = row.lastError === undefined ? [] : [printableLine(row.lastError, 300)];
  return [row.state, ...health, ...tools, ...error].join(', ');
}

function drawn(columns: readonly ServerColumn[], rows: readonly ServerRow[], styles: Styles): string {
  return table(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map(({ cell }) => cell(row, styles))),
  );
}

/** The error without the server's name, which is in the row. */
function errorText({ name, lastError, catalogProblems }: ServerRow): string {
  const [start, error] = [`Server "${name}" `, lastError ?? catalogProblems[0] ?? ''];
  return printableLine(error.startsWith(start) ? error.slice(start.length) : error, maxErrorLength);
}
