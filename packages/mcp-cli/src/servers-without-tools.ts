import type { ServerRow } from './control/reports.js';

/** Names of servers without known tools, except servers that run on another node. */
export function serversWithoutTools(rows: readonly ServerRow[]): readonly string[] {
  return rows.filter((row) => !row.disabled && !row.runsElsewhere && !areToolsKnown(row)).map(({ name }) => name);
}

/** A stored list counts only if the server may start on demand. */
export function areToolsKnown({
  state,
  tools,
  cachedAt,
  autoStart,
}: Pick<ServerRow, 'state' | 'tools' | 'cachedAt' | 'autoStart'>): boolean {
  return tools > 0 || state === 'running' || state === 'degraded' || (cachedAt !== undefined && autoStart);
}
