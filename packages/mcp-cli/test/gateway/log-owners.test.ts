import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, createHttpServer } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, startAsksOverHttp, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** A gateway over HTTP in front of one server that logs the arguments of its tool, whose tokens are `<principal>-token`. */
async function serve(
  target: { readonly url: string } | ReturnType<typeof testServer> = testServer('resources-and-prompts'),
) {
  const manager = createClientManager({ servers: [{ name: 'shelf', autoStart: true, ...target }] });
  const registry = createRegistry({ roles: [{ role: 'user', allowedTools: ['shelf'] }] });
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
  return { registry, url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`) };
}

async function connect(url: URL, principal: string, mode: 'legacy' | { readonly pin: string }) {
  const requestInit = { headers: { Authorization: `Bearer ${principal}-token` } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } } as never);
  const heard: unknown[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === 'notifications/message') heard.push((params as { data: unknown }).data);
  };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  if (mode === 'legacy') await client.setLoggingLevel('debug');
  const _meta = mode === 'legacy' ? {} : { 'io.modelcontextprotocol/logLevel': 'debug' };
  const params = { name: 'mcp__shelf__log', arguments: { level: 'error', data: `of ${principal}` }, _meta };
  /** Repeats the call until it receives an entry, because an entry about a call of another client that has ended is dropped. */
  const heardAnother = async () => {
    const before = heard.length;
    const heardNow = async () => {
      await client.callTool(params);
      return heard.length;
    };
    await expect.poll(heardNow).toBeGreaterThan(before);
  };
  return { client, heard, heardAnother };
}

test.each(['legacy', { pin: '2026-07-28' }] as const)(
  'what a server logs during a call reaches the caller alone: %j',
  async (mode) => {
    const { url } = await serve();
    const [alice, carol] = await Promise.all([connect(url, 'alice', mode), connect(url, 'carol', mode)]);
    for (const each of [alice, carol, alice]) await each.heardAnother();
    expect(new Set(alice.heard)).toEqual(new Set(['of alice']));
    expect(new Set(carol.heard)).toEqual(new Set(['of carol']));
  },
);

test('what a server logs during a call of the embedding app reaches no client', async () => {
  const { registry, url } = await serve();
  const alice = await connect(url, 'alice', 'legacy');
  const listed = registry.list().find(({ tool }) => tool === 'log');
  await registry.call(listed?.name ?? '', { level: 'error', data: 'of the app' });
  await alice.heardAnother();
  expect(new Set(alice.heard)).toEqual(new Set(['of alice']));
});

test.each(['legacy', { pin: '2026-07-28' }] as const)(
  'over HTTP what a server logs on the stream of a call reaches its caller while others have calls: %j',
  async (mode) => {
    const upstream = await startAsksOverHttp();
    opened.push(upstream);
    const { url } = await serve({ url: upstream.url });
    const clients = await Promise.all(['alice', 'carol'].map((principal) => connect(url, principal, mode)));
    const _meta = mode === 'legacy' ? {} : { 'io.modelcontextprotocol/logLevel': 'debug' };
    await Promise.all(
      clients.map(({ client }, index) =>
        client.callTool({ name: 'mcp__shelf__log', arguments: { data: `of ${index}` }, _meta }),
      ),
    );
    await expect.poll(() => clients.map(({ heard }) => heard)).toEqual([['of 0'], ['of 1']]);
  },
);
