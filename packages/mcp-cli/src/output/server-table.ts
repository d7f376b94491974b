import stringWidth from 'fast-string-width';
import type { OutputStream } from '../command.js';
import type { ServerRow } from '../control/reports.js';
import { needsText } from '../servers/server-needs.js';
import { areToolsKnown } from '../servers/server-rows.js';
import { columnsOf, fit } from './fit.js';
import { counted, printableLine, type Styles } from './print.js';
import { table } from './table.js';

const errorTitle = 'Last error';
/** Below this width, errors go below the table. */
const leastErrorWidth = 30;
const maxErrorLength = 500;

type ServerTableOptions = Styles & {
  readonly command: TableCommand;
  /** Where it is printed. Default: no limit of width. */
  readonly stream?: Pick<OutputStream, 'isTTY' | 'columns'> | undefined;
};

/** For an empty table. */
export const noServers = 'The config has no servers. "mcpx add" adds one.';

/** One row per server. Errors are the last column if they fit, else lines below the table. */
export function serverTable(
  rows: readonly ServerRow[],
  { command, stream = {}, ...styles }: ServerTableOptions,
  columns: readonly ServerColumn[] = serverColumns,
): string {
  const shown = columns.filter(({ only }) => only === undefined || only.includes(command));
  const withErrors = (room: number): readonly ServerColumn[] => {
    const cell = (row: ServerRow): string => styles.dim(printableLine(errorText(row), room));
    return [...shown, { title: errorTitle, cell }];
  };
  const width = columnsOf(stream);
  if (width === undefined) return drawTable(withErrors(maxErrorLength), rows, styles, stream);
  const facts = drawTable(shown, rows, styles, {});
  const usedWidth = Math.max(...facts.split('\n').map((line) => stringWidth(line)));
  if (usedWidth > width) return drawTable(withErrors(maxErrorLength), rows, styles, stream);
  const freeWidth = width - usedWidth - 2;
  if (freeWidth >= leastErrorWidth) return drawTable(withErrors(freeWidth), rows, styles, stream);
  const below = rows.flatMap((row) => {
    const error = errorText(row);
    return error === '' ? [] : [styles.dim(`${printableLine(row.name, maxNameLength)}: ${error}`)];
  });
  return `${facts}${fit(below.map((line) => `${line}\n`).join(''), stream)}`;
}

/** The status of one server without colour: `running, healthy, 14 tools`. */
export function stateLine(row: ServerRow): string {
  const tools = areToolsKnown(row) ? [counted(row.tools, 'tool')] : [];
  const health = row.health === 'unknown' ? [] : [row.health];
  const reason = unsetText(row) ?? row.healthError ?? row.lastError ?? needsText(row);
  const error = reason === undefined ? [] : [printableLine(reason, 300)];
  return [row.state, ...health, ...tools, ...error].join(', ');
}

function drawTable(
  columns: readonly ServerColumn[],
  rows: readonly ServerRow[],
  styles: Styles,
  stream: Pick<OutputStream, 'isTTY' | 'columns'>,
): string {
  return table(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map(({ cell }) => cell(row, styles))),
    stream,
  );
}

/** Other needs have an error that says more. */
function unsetText(row: ServerRow): string | undefined {
  return row.needs?.some(({ kind }) => kind === 'variable') ? needsText(row) : undefined;
}

/** The error without the server's name, which is in the row. */
function errorText(row: ServerRow): string {
  const { name, healthError, lastError, catalogProblems } = row;
  const error = unsetText(row) ?? healthError ?? lastError ?? needsText(row) ?? catalogProblems[0] ?? '';
  const start = `Server "${name}" `;
  return printableLine(error.startsWith(start) ? error.slice(start.length) : error, maxErrorLength);
}

/** Commands that print a table of servers. `watch` is `mcpx status --watch`. */
export type TableCommand = 'status' | 'watch' | 'health' | 'list';

const detailed = ['status', 'watch', 'health'] as const;

export interface ServerColumn {
  readonly title: string;
  readonly cell: (row: ServerRow, styles: Styles) => string;
  /** Commands that show the column. Default: all. */
  readonly only?: readonly TableCommand[];
}

const maxNameLength = 60;
const maxPathLength = 200;

/** From left to right. */
const serverColumns: readonly ServerColumn[] = [
  { title: 'Server', cell: ({ name }) => printableLine(name, maxNameLength) },
  { title: 'State', cell: stateText },
  { title: 'Health', cell: healthText, only: detailed },
  { title: 'Tools', cell: (row) => (areToolsKnown(row) ? String(row.tools) : '-') },
  { title: 'PID', cell: ({ pid }) => String(pid ?? '-'), only: detailed },
  { title: 'Uptime', cell: ({ uptimeMs }) => (uptimeMs === undefined ? '-' : durationText(uptimeMs)), only: detailed },
  { title: 'Restarts', cell: ({ restarts }) => String(restarts), only: detailed },
  {
    title: 'Memory',
    cell: ({ memoryBytes }) => (memoryBytes === undefined ? '-' : `${Math.round(memoryBytes / 1_048_576)} MB`),
    only: detailed,
  },
  { title: 'From', cell: ({ file }) => printableLine(file ?? '-', maxPathLength), only: ['list'] },
];

/** `48s`, `5m 12s`, `3h 20m`, `12d 4h`. */
function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

function stateText(row: ServerRow, { green, yellow, red, dim }: Styles): string {
  const { state, autoStart, disabled, runsElsewhere, waitsForConsent } = row;
  if (needsText(row) !== undefined && (state === 'stopped' || state === 'failed') && !runsElsewhere) {
    return yellow('! not set up');
  }
  if (waitsForConsent && (state === 'stopped' || state === 'failed') && !disabled) return yellow('? untrusted');
  switch (state) {
    case 'running':
      return green('● running');
    case 'stopped':
      if (runsElsewhere) return dim('○ elsewhere');
      return dim(disabled ? '○ disabled' : autoStart ? '○ stopped' : '○ manual');
    case 'failed':
      return red('✗ failed');
    default:
      return yellow(`◐ ${state}`);
  }
}

function healthText({ health }: ServerRow, { green, red, dim }: Styles): string {
  if (health === 'unknown') return dim('-');
  return health === 'healthy' ? green('✓') : red('✗');
}
