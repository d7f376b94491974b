import type { ServerRow } from '../control/reports.js';
import { areToolsKnown } from '../servers-without-tools.js';
import { printableLine } from './printable.js';
import type { Styles } from './styles.js';

/** Commands that print a table of servers. `watch` is `mcpx status --watch`. */
export type TableCommand = 'status' | 'watch' | 'health';

export interface ServerColumn {
  readonly title: string;
  readonly cell: (row: ServerRow, styles: Styles) => string;
  /** Commands that show the column. Default: all. */
  readonly only?: readonly TableCommand[];
}

export const maxNameLength = 60;

/** From left to right. */
export const serverColumns: readonly ServerColumn[] = [
  { title: 'Server', cell: ({ name }) => printableLine(name, maxNameLength) },
  { title: 'State', cell: stateText },
  { title: 'Health', cell: healthText },
  { title: 'Tools', cell: (row) => (areToolsKnown(row) ? String(row.tools) : '-') },
  { title: 'PID', cell: ({ pid }) => String(pid ?? '-') },
  { title: 'Uptime', cell: ({ uptimeMs }) => (uptimeMs === undefined ? '-' : durationText(uptimeMs)) },
  { title: 'Restarts', cell: ({ restarts }) => String(restarts) },
  {
    title: 'Memory',
    cell: ({ memoryBytes }) => (memoryBytes === undefined ? '-' : `${Math.round(memoryBytes / 1_048_576)} MB`),
  },
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
