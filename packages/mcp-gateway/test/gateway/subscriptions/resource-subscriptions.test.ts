import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import type { UpstreamRequestOptions } from '../../../src/gateway/upstream.js';
import { attachAll, createAskingUpstream } from '../helpers/asking-upstream.js';
import { type GatewayClient, gatewayWays } from '../helpers/gateway-client.js';
import { connectRaw } from '../helpers/raw-clients.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

interface Asked {
  readonly method: string;
  readonly uri: string;
  readonly options: UpstreamRequestOptions;
}

async function open(options: Partial<GatewayOptions> = {}) {
  const asked: Asked[] = [];
  const active = new Set<string>();
  let underWay = 0;
  const most = { atATime: 0 };
  const turn = async () => {
    most.atATime = Math.max(most.atATime, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
  };
  const upstream = Object.assign(createAskingUpstream('old', 'legacy', {}), {
    session: { era: 'legacy' as const, capabilities: { resources: { subscribe: true }, logging: {} } },
    busy: 0,
    subscribeResource: async (uri: string, given: UpstreamRequestOptions) => {
      asked.push({ method: 'subscribe', uri, options: given });
      await turn();
      if (upstream.busy-- > 0) throw Object.assign(new Error('Full'), { code: 'busy', retryAfterMs: 0 });
      active.add(uri);
    },
    unsubscribeResource: async (uri: string, given: UpstreamRequestOptions) => {
      asked.push({ method: 'unsubscribe', uri, options: given });
      await turn();
      if (upstream.busy-- > 0) throw Object.assign(new Error('Full'), { code: 'busy', retryAfterMs: 0 });
      active.delete(uri);
    },
    setLogLevel: async (level: string, given: UpstreamRequestOptions) => {
      asked.push({ method: 'level', uri: level, options: given });
    },
  });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [upstream]), ...options });
  opened.push(registry, gateway);
  return { gateway, upstream, asked, active, most };
}

const uris = (count: number) => Array.from({ length: count }, (_, number) => `mcp+old:a:${number}`);
const until = (isSo: () => boolean) => expect.poll(isSo, { interval: 5, timeout: 20_000 }).toBe(true);

/** Opens a stream over HTTP, and reads what it was opened for. */
async function listen({ gateway }: Awaited<ReturnType<typeof open>>, resourceSubscriptions: readonly string[]) {
  const handler = gateway.handler({ allowAnonymous: true });
  opened.push(handler);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const method = 'subscriptions/listen';
  const answer = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { notifications: { resourceSubscriptions }, _meta },
      }),
    }),
  );
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  // A large message comes in pieces.
  while (!text.includes('\n\n')) text += decoder.decode((await reader.read()).value, { stream: true });
  const { notifications } = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}').params;
  return { agreed: notifications.resourceSubscriptions as string[] | undefined, end: () => reader.cancel() };
}

test('a stream subscribes to as many resources as allowed, a few at a time', async () => {
  const way = await open();
  const { agreed, end } = await listen(way, [`mcp+old:${'x'.repeat(9_000)}`, ...uris(5_000), ...uris(10)]);
  expect(agreed).toEqual(uris(1_000));
  await until(() => way.active.size === 1_000);
  await end();
  await until(() => way.active.size === 0);
  expect(way.asked).toHaveLength(2_000);
  expect(way.most.atATime).toBeLessThanOrEqual(16); // some of each
});

test('subscriptions that a busy server refuses are retried until all are made', async () => {
  const way = await open();
  way.upstream.busy = 150;
  const { end } = await listen(way, uris(200));
  await until(() => way.active.size === 200);
  way.upstream.busy = 150;
  await end();
  await until(() => way.active.size === 0);
});

test('the limit of a caller counts all its streams, and is freed when one ends', async () => {
  const way = await open();
  const handlerStreams = [];
  const serving = gatewayWays[0];
  const client = (await serving?.connect(way.gateway)) as GatewayClient;
  opened.push(client);
  for (let stream = 0; stream < 5; stream++) {
    const wanted = Array.from({ length: 1_000 }, (_, number) => `mcp+old:${stream}:${number}`);
    handlerStreams.push(await client.subscribe(...wanted));
    await until(() => way.active.size === Math.min(4_000, (stream + 1) * 1_000));
  }
  await handlerStreams[0]?.();
  await until(() => way.active.size === 3_000);
  await client.subscribe('mcp+old:again');
  await until(() => way.active.has('again'));
});

test('a session gets an error for one resource too many and for a URI that is too long', async () => {
  const way = await open();
  const client = await connectRaw(way.gateway);
  opened.push(client);
  for (const uri of uris(1_000)) {
    expect(await client.request('resources/subscribe', { uri })).toEqual({ result: {} });
  }
  const tooMany = await client.request('resources/subscribe', { uri: 'mcp+old:more' });
  expect(tooMany.error).toMatchObject({ code: -32_602, message: expect.stringContaining('1000') });
  expect(await client.request('resources/subscribe', { uri: uris(1)[0] })).toEqual({ result: {} });
  await client.request('resources/unsubscribe', { uri: uris(1)[0] });
  await until(() => way.active.size === 999);
  expect(await client.request('resources/subscribe', { uri: 'mcp+old:more' })).toEqual({ result: {} });
  const tooLong = await client.request('resources/subscribe', { uri: `mcp+old:${'x'.repeat(9_000)}` });
  expect(tooLong.error).toMatchObject({ code: -32_602, message: expect.stringContaining('8192') });
});

test('a subscription counts against the rate limits of its server, and a stream retries', async () => {
  const way = await open({ rateLimits: { perServer: { old: { requests: 2, perMs: 50 } } } });
  const { agreed } = await listen(way, uris(4));
  expect(agreed).toHaveLength(4);
  await until(() => way.active.size === 4);
  const limited = await open({ rateLimits: { perServer: { old: { requests: 1, perMs: 3_600_000 } } } });
  const client = await connectRaw(limited.gateway);
  opened.push(client);
  expect(await client.request('resources/subscribe', { uri: 'mcp+old:a' })).toEqual({ result: {} });
  const { error } = await client.request('resources/subscribe', { uri: 'mcp+old:b' });
  expect(error).toMatchObject({ code: -32_000, data: { reason: 'rate-limited' } });
});

test('each request names its client, and a shared subscription the first one', async () => {
  const way = await open();
  const [ada, bob] = [await connectRaw(way.gateway), await connectRaw(way.gateway)];
  opened.push(ada, bob);
  const [uri] = uris(1);
  await ada.request('resources/subscribe', { uri });
  await bob.request('resources/subscribe', { uri });
  await ada.request('resources/unsubscribe', { uri });
  await bob.request('resources/unsubscribe', { uri });
  await until(() => way.active.size === 0);
  await bob.request('logging/setLevel', { level: 'debug' });
  const clients = way.asked.map(({ options }) => options.handler?.client);
  expect(way.asked.map(({ method }) => method)).toEqual(['subscribe', 'unsubscribe', 'level']);
  expect(clients.every((client) => client !== undefined)).toBe(true);
  expect(clients[0]).not.toBe(clients[1]);
  expect(clients[1]).toBe(clients[2]);
  await ada.request('resources/subscribe', { uri });
  expect(way.asked.at(-1)?.options.handler?.client).toBe(clients[0]);
});
