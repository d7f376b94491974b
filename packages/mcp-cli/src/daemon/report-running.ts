import type { ClientManager } from '@x/mcp-client-manager';

/** Calls `report` with the names of the servers that run or are about to, whenever they are others than before. */
export function reportRunning(manager: ClientManager, report: (servers: readonly string[]) => void): Disposable {
  let last = '[]';
  return manager.events.on('server-state', () => {
    const running = manager.status().filter(({ state }) => state !== 'stopped' && state !== 'stopping');
    const servers = running.map(({ name }) => name);
    const now = JSON.stringify(servers);
    if (now === last) return;
    last = now;
    report(servers);
  });
}
