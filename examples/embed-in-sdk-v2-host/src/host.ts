import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';
import { openTools, type Tools } from '@x/mcp';
import { createHttpServer, createRegistryHandler } from '@x/mcp-gateway';

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
  readonly tools: Tools;
}

/** Serves the app's own MCP server and a real one beside it, at one address, to clients of every revision. */
export async function openHost({ notes, folder, verifyToken }: HostOptions): Promise<Host> {
  // #region serve
  const tools = await openTools({
    mcpServers: {
      notes: { server: notes }, // the app's own McpServer: in this process, nothing is spawned
      memory: {
        command: process.execPath,
        args: [memoryServer],
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
    },
    roles: [
      { role: 'reader', allowedTools: ['notes.list_*', 'memory.read_*', 'memory.search_*'] },
      { role: 'writer', allowedTools: ['notes', 'memory'], deniedTools: ['*.delete_*'] },
    ],
  });

  const handler = createRegistryHandler(({ id, role }) => tools.as(role, { principal: id }), { verifyToken });
  const http = createHttpServer(handler).listen(0, '127.0.0.1');
  // #endregion serve
  await once(http, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    tools,
    async [Symbol.asyncDispose]() {
      await handler.close(); // ends sessions, streams and calls
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await tools.close(); // resolves when the processes are gone
    },
  };
}
