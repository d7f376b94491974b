import { fileURLToPath } from 'node:url';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { createRegistry, type Registry } from '@x/mcp-registry';

const filesServer = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

export interface Tools extends AsyncDisposable {
  readonly manager: ClientManager;
  readonly registry: Registry;
}

/** The tools that the app offers beside those it always had: a supervised server's and, later, what plug-ins bring. */
export async function openTools(folder: string): Promise<Tools> {
  // #region registry
  const manager = createClientManager({
    servers: [{ name: 'files', command: process.execPath, args: [filesServer, folder] }],
  });
  const registry = createRegistry({
    roles: [
      { role: 'reader', allowedTools: ['files.read_*', 'files.list_*', 'greet'] },
      { role: 'editor', allowedTools: ['files', 'greet'] },
    ],
  });
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  // #endregion registry
  return {
    manager,
    registry,
    async [Symbol.asyncDispose]() {
      await registry.close();
      await manager.close(); // resolves when the processes are gone
    },
  };
}
