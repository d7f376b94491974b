import type { ServerRow } from './control/reports.js';

/**
 * Names of the servers whose tools are not known: they never ran, have failed, or rest and start only by name. Not of those
 * that another node runs.
 */
export function serversWithoutTools(rows: readonly ServerRow[]): readonly string[] {
  return rows.filter((row) => !row.disabled && !row.runsElsewhere && !areToolsKnown(row)).map(({ name }) => name);
}

/** What a server has listed counts for as long as it could be called: one that starts only by name offers nothing at rest. */
export function areToolsKnown({
  state,
  tools,
  cachedAt,
  autoStart,
}: Pick<ServerRow, 'state' | 'tools' | 'cachedAt' | 'autoStart'>): boolean {
  return tools > 0 || state === 'running' || state === 'degraded' || (cachedAt !== undefined && autoStart);
}
