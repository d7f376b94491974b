import { stripVTControlCharacters } from 'node:util';
import type { ServerRow } from '../control/reports.js';
import { areToolsKnown } from '../servers-without-tools.js';
import { printableLine } from './printable.js';
import type { Styles } from './styles.js';
import { table } from './table.js';

const head = ['Server', 'State', 'Health', 'Tools', 'PID', 'Uptime', 'Restarts', 'Memory'];
const errorHead = 'Last error';
/** With less room than this, errors go below the table. */
const leastErrorWidth = 30;
const maxNameLength = 60;
const maxErrorLength = 500;

/** A row a server. Errors are its last column where there is room for them, and lines of their own elsewhere. */
export function serverTable(rows: readonly ServerRow[], { columns, ...styles }: TableOptions): string {
  const errors = rows.map(errorText);
  const facts = factTable(rows, styles);
  const width = Math.max(...facts.split('\n').map((line) => stripVTControlCharacters(line).length));
  const room = columns === undefined ? maxErrorLength : columns - width - 2;

  if (room >= leastErrorWidth) return factTable(rows, styles, { errors, room });
  const below = rows.flatMap(({ name }, index) => {
    const error = errors[index] ?? '';
    return error === '' ? [] : [styles.dim(`${printableLine(name, maxNameLength)}: ${error}`)];
  });
  return `${facts}${below.map((line) => `${line}\n`).join('')}`;
}

/** The name of the server is in its row already. */
function errorText({ name, lastError, catalogProblems }: ServerRow): string {
  const [start, error] = [`Server "${name}" `, lastError ?? catalogProblems[0] ?? ''];
  return printableLine(error.startsWith(start) ? error.slice(start.length) : error, maxErrorLength);
}

function factTable(
  rows: readonly ServerRow[],
  styles: Styles,
  last?: { readonly errors: readonly string[]; readonly room: number },
): string {
  return table(
    last ? [...head, errorHead] : head,
    rows.map((row, index) => [
      printableLine(row.name, maxNameLength),
      stateText(row, styles),
      healthText(row, styles),
      areToolsKnown(row) ? String(row.tools) : '-',
      String(row.pid ?? '-'),
      row.uptimeMs === undefined ? '-' : durationText(row.uptimeMs),
      String(row.restarts),
      row.memoryBytes === undefined ? '-' : `${Math.round(row.memoryBytes / 1_048_576)} MB`,
      ...(last ? [styles.dim(printableLine(last.errors[index] ?? '', last.room))] : []),
    ]),
  );
}

export type TableOptions = Styles & { readonly columns?: number | undefined };

/** The state of one server in a word or two, without colour: `running, healthy, 14 tools`. */
export function stateLine(row: ServerRow): string {
  const tools = areToolsKnown(row) ? [`${row.tools} ${row.tools === 1 ? 'tool' : 'tools'}`] : [];
  const health = row.health === 'unknown' ? [] : [row.health];
  const error = row.lastError === undefined ? [] : [printableLine(row.lastError, 300)];
  return [row.state, ...health, ...tools, ...error].join(', ');
}

/** `48s`, `5m 12s`, `3h 20m`, `12d 4h`. */
function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

function stateText(
  { state, autoStart, disabled, runsElsewhere, waitsForConsent }: ServerRow,
  { green, yellow, red, dim }: Styles,
): string {
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
