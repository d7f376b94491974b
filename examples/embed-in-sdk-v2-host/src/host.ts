import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { createHttpServer, createRegistryHandler } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';

const memoryServer = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

export interface HostOptions {
  readonly notes: McpServer;
  /** Where the memory server keeps its file. */
  readonly folder: string;
  /** Asked for each request, so a role that changes holds from the next request on. */
  readonly verifyToken: (token: string) => { readonly id: string; readonly role: string } | undefined;
}

export interface Host extends AsyncDisposable {
  readonly url: URL;
  readonly manager: ClientManager;
}

/** Serves the app's own MCP server and a real one beside it, at one address, to clients of every revision. */
export async function openHost({ notes, folder, verifyToken }: HostOptions): Promise<Host> {
  // #region serve
  const manager = createClientManager({
    servers: [
      { name: 'notes', server: notes }, // the app's own McpServer: in this process, nothing is spawned
      {
        name: 'memory',
        command: process.execPath,
        args: [memoryServer],
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
    ],
  });
  const registry = createRegistry({
    roles: [
      { role: 'reader', allowedTools: ['notes.list_*', 'memory.read_*', 'memory.search_*'] },
      { role: 'writer', allowedTools: ['notes', 'memory'], deniedTools: ['*.delete_*'] },
    ],
  });
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();

  const handler = createRegistryHandler(({ id, role }) => registry.view({ role, principal: id }), { verifyToken });
  const http = createHttpServer(handler).listen(0, '127.0.0.1');
  // #endregion serve
  await once(http, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    manager,
    async [Symbol.asyncDispose]() {
      await handler.close(); // ends sessions, streams and calls
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await registry.close();
      await manager.close(); // resolves when the processes are gone
    },
  };
}
