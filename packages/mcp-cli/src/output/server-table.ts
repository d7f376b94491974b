import type { ServerRow } from '../control/control.js';
import { printableLine } from './printable.js';
import type { Styles } from './styles.js';
import { table } from './table.js';

const head = ['Server', 'State', 'Health', 'Tools', 'PID', 'Uptime', 'Restarts', 'Memory', 'Last error'];
/** What an error gets at least, however narrow the terminal is. */
const leastErrorWidth = 30;
const otherColumns = 90;

/** A row a server, as wide as the terminal. */
export function serverTable(rows: readonly ServerRow[], { columns = 160, ...styles }: TableOptions): string {
  const room = Math.max(columns - otherColumns, leastErrorWidth);
  return table(
    head,
    rows.map((row) => [
      printableLine(row.name, 60),
      stateText(row, styles),
      healthText(row, styles),
      isToolless(row) ? '-' : String(row.tools),
      String(row.pid ?? '-'),
      row.uptimeMs === undefined ? '-' : durationText(row.uptimeMs),
      String(row.restarts),
      row.memoryBytes === undefined ? '-' : `${Math.round(row.memoryBytes / 1_048_576)} MB`,
      styles.dim(printableLine(row.lastError ?? row.catalogProblems[0] ?? '', room)),
    ]),
  );
}

export type TableOptions = Styles & { readonly columns?: number | undefined };

/** The state of one server in a word or two, without colour: `running, healthy, 14 tools`. */
export function stateLine(row: ServerRow): string {
  const tools = isToolless(row) ? [] : [`${row.tools} ${row.tools === 1 ? 'tool' : 'tools'}`];
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

function isToolless({ state, tools, cachedAt }: ServerRow): boolean {
  return tools === 0 && cachedAt === undefined && state !== 'running' && state !== 'degraded';
}

function stateText({ state, autoStart, disabled }: ServerRow, { green, yellow, red, dim }: Styles): string {
  switch (state) {
    case 'running':
      return green('● running');
    case 'stopped':
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
