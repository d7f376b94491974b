import { once } from 'node:events';

import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, createHttpServer } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** A gateway over HTTP in front of one server, whose tokens are `<principal>-token`. */
async function serve() {
  const server = { name: 'slow', autoStart: true, ...testServer('slow') };
  const manager = createClientManager({ servers: [server] });
  const registry = createRegistry({ roles: [{ role: 'user', allowedTools: ['slow'] }] });
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const each of manager.servers()) registry.attach(each);
  await manager.start();
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) }, ({ id }) => ({
    role: 'user',
    principal: id.replace('-token', ''),
  }));
  const http = createHttpServer(handler).listen({ port: 0, host: '127.0.0.1' });
  await once(http, 'listening');
  opened.push(handler, {
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
  return { manager, url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`) };
}

async function connect(url: URL, principal: string, mode: 'legacy' | { readonly pin: string }) {
  const requestInit = { headers: { Authorization: `Bearer ${principal}-token` } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } } as never);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  return (ms: number, signal?: AbortSignal) =>
    client.callTool({ name: 'mcp__slow__wait', arguments: { ms } }, { signal, timeout: 3_600_000 } as never);
}

test.each(['legacy', { pin: '2026-07-28' }])(
  'a caller that fills a server with slow calls, in several sessions, keeps no other caller waiting: %j',
  async (mode) => {
    const { manager, url } = await serve();
    const sessions = await Promise.all([connect(url, 'bob', mode as 'legacy'), connect(url, 'bob', mode as 'legacy')]);
    const alice = await connect(url, 'alice', mode as 'legacy');
    const ends = Array.from({ length: 40 }, () => new AbortController());
    const slow = ends.map(({ signal }, index) => sessions[index % 2]?.(3_600_000, signal));
    const ended = Promise.allSettled(slow);
    while (manager.server('slow').status.callsQueued < 25) await new Promise((next) => setImmediate(next));
    expect(await alice(0)).toMatchObject({ content: [{ type: 'text' }] });
    expect(manager.server('slow').status).toMatchObject({ callsInFlight: 15, callsQueued: 25 });
    for (const end of ends) end.abort();
    await ended;
  },
);
