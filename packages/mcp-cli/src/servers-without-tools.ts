import type { ServerRow } from './control/control.js';

/** Names of the servers whose tools are not known: they never ran, have failed, or rest and start only by name. */
export function serversWithoutTools(rows: readonly ServerRow[]): readonly string[] {
  return rows
    .filter(({ state, tools, cachedAt, disabled }) => {
      return !disabled && tools === 0 && cachedAt === undefined && state !== 'running' && state !== 'degraded';
    })
    .map(({ name }) => name);
}
