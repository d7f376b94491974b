import type { ClientManager } from '@x/mcp-client-manager';

/** Reports the running and starting servers after each change of that list. */
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
