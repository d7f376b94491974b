import { join } from 'node:path';
import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRegistry } from '@x/mcp-registry';
import { inject } from 'vitest';
import { createRegistryHandler, toNodeListener } from '../../src/index.js';
import { mountRegistry } from '../../src/sdk-v1.js';
import { registerNativeTools } from './native-tools.js';
import { serveOnLoopback } from './serve-on-loopback.js';
import { connectV1, connectV2, type Era, type TestClient } from './test-client.js';

/** One way in which a view reaches a client. The served pages have three tools. */
export interface ServingWay {
  readonly name: string;
  /** Serves the native tools, or what a role may see of them, and connects a client. Disposing ends both. */
  connect(role?: string): Promise<TestClient>;
}

const info = { name: 'native', version: '1.2.3' };
const GUEST_TOKEN = 'the-token-of-a-guest';
const TOKEN = 'the-token-of-the-owner';

export const servingWays: readonly ServingWay[] = [
  { name: 'server 2.x over stdio, modern client', connect: stdio('server-2', 'modern') },
  { name: 'server 2.x over stdio, legacy client', connect: stdio('server-2', 'legacy') },
  { name: 'server 2.x over stdio, SDK 1.x client', connect: stdio('server-2', 'v1') },
  { name: 'server 2.x over HTTP, modern client', connect: http('modern') },
  { name: 'server 2.x over HTTP, legacy client', connect: http('legacy') },
  { name: 'server 2.x over HTTP, SDK 1.x client', connect: http('v1') },
  { name: 'mounted on an McpServer 1.x over stdio, SDK 1.x client', connect: stdio('sdk-1', 'v1') },
  { name: 'mounted on an McpServer 1.x over HTTP, legacy client 2.x', connect: mountedHttp },
  { name: 'mounted on a Server 1.x, SDK 1.x client', connect: mountedInMemory },
];

function nativeView(role: string | undefined) {
  const registry = createRegistry({ roles: [{ role: 'guest', allowedTools: ['echo'] }] });
  registerNativeTools(registry);
  return role === undefined ? registry : registry.view({ role });
}

function stdio(library: 'server-2' | 'sdk-1', client: Era | 'v1'): ServingWay['connect'] {
  return async (role) => {
    const program = join(inject('programsFolder'), 'serve-native.js');
    const args = [program, library, ...(role === undefined ? [] : [role])];
    const command = { command: process.execPath, args };
    return client === 'v1' ? connectV1(new StdioV1(command)) : connectV2(client, new StdioV2(command));
  };
}

function http(client: Era | 'v1'): ServingWay['connect'] {
  return async (role) => {
    const owners = new Map([
      [TOKEN, { id: 'owner', role: undefined }],
      [GUEST_TOKEN, { id: 'guest', role: 'guest' }],
    ]);
    const views = new Map([...owners.values()].map((owner) => [owner.id, nativeView(owner.role)]));
    const handler = createRegistryHandler(({ id }) => views.get(id), {
      ...info,
      pageSize: 3,
      verifyToken: (token) => owners.get(token),
    });
    const server = await serveOnLoopback(toNodeListener(handler));
    const headers = { Authorization: `Bearer ${role === 'guest' ? GUEST_TOKEN : TOKEN}` };
    const options = { requestInit: { headers } };
    const connected =
      client === 'v1'
        ? await connectV1(new HttpV1(server.url, options))
        : await connectV2(client, new HttpV2(server.url, options));
    return withEnds(connected, handler, server);
  };
}

async function mountedHttp(role?: string): Promise<TestClient> {
  const mcp = new McpServer(info, { instructions: 'search_mcp_tools finds tools' });
  mountRegistry(mcp, nativeView(role), { pageSize: 3 });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
  await mcp.connect(transport as never);
  const server = await serveOnLoopback((request, response) => void transport.handleRequest(request, response));
  const client = await connectV2('legacy', new HttpV2(server.url));
  return withEnds(client, { [Symbol.asyncDispose]: () => mcp.close() }, server);
}

async function mountedInMemory(role?: string): Promise<TestClient> {
  const server = new Server(info, { capabilities: {}, instructions: 'search_mcp_tools finds tools' });
  mountRegistry(server, nativeView(role), { pageSize: 3 });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  return withEnds(await connectV1(clientSide), { [Symbol.asyncDispose]: () => server.close() });
}

function withEnds(client: TestClient, ...others: readonly AsyncDisposable[]): TestClient {
  return {
    ...client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      for (const other of others) await other[Symbol.asyncDispose]();
    },
  };
}
