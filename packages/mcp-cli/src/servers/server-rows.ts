import { ControlError } from '../control/control-error.js';
import type { ServerRow, StatusReport } from '../control/reports.js';
import { whyNotHere } from '../fleet/elsewhere.js';
import { didYouMean } from '../output/print.js';

/**
 * Rows of the named servers in the order of the config; all rows without names.
 *
 * @throws {ControlError} `unknown-server`, with a suggestion; `runs-elsewhere` for a server of another node.
 */
export function namedRows({ servers: rows, fleet }: StatusReport, wanted: readonly string[]): readonly ServerRow[] {
  const names = rows.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw (
      whyNotHere(fleet, unknown) ??
      new ControlError('unknown-server', `No server is named "${unknown}".`, {
        hint: `${didYouMean(unknown, names)}Configured: ${names.join(', ') || 'none'}.`,
      })
    );
  }
  return wanted.length === 0 ? rows : rows.filter(({ name }) => wanted.includes(name));
}

/** Names of servers without known tools, except servers that run on another node. */
export function serversWithoutTools(rows: readonly ServerRow[]): readonly string[] {
  return rows.filter((row) => !row.disabled && !row.runsElsewhere && !areToolsKnown(row)).map(({ name }) => name);
}

/** True if the server has listed its tools, even if there are none. */
export function areToolsKnown({ state, tools, cachedAt }: Pick<ServerRow, 'state' | 'tools' | 'cachedAt'>): boolean {
  return tools > 0 || state === 'running' || state === 'degraded' || cachedAt !== undefined;
}

/** True if a call, or a start without names, may start the server. */
export function startsAutomatically(server: { readonly autoStart: boolean; readonly disabled: boolean }): boolean {
  return server.autoStart && !server.disabled;
}
