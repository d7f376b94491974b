import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/identity.js';
import { createRegistryHandler, type RegistryHandlerOptions } from '../../../src/index.js';
import { CallerShares, Share } from '../../../src/server/requests/http-limits.js';
import {
  initialize,
  modernHeaders,
  modernRequest,
  openSession,
  postRequest,
  streamRequest,
} from '../../helpers/http-requests.js';

const verifyToken = createTokenVerifier([
  { token: 'the-token-of-alice', id: 'alice' },
  { token: 'the-token-of-bob-1', id: 'bob' },
]);
const alice = { authorization: 'Bearer the-token-of-alice' };
const bob = { authorization: 'Bearer the-token-of-bob-1' };

function serve(options: Partial<RegistryHandlerOptions> = {}) {
  const registry = createRegistry();
  const started: (() => void)[] = [];
  const finish: (() => void)[] = [];
  registry.register({ name: 'wait', description: '' }, () => {
    started.shift()?.();
    return new Promise((resolve) => finish.push(() => resolve('done')));
  });
  const handler = createRegistryHandler(registry, { verifyToken, ...options });
  const whenStarted = () => new Promise<void>((resolve) => started.push(resolve));
  return { ...handler, finish, whenStarted };
}

const call = (who: Record<string, string>) =>
  postRequest(modernRequest('tools/call', { name: 'wait', arguments: {} }), {
    ...modernHeaders('tools/call', 'wait'),
    ...who,
  });
const listen = (who: Record<string, string>) =>
  postRequest(modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }), {
    ...modernHeaders('subscriptions/listen'),
    ...who,
  });

async function refusalOf(answer: Response) {
  const { error, id } = (await answer.json()) as { error: { message: string }; id: unknown };
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), id, message: error.message };
}

describe('one caller does not use up the resources of all', () => {
  test('requests', async () => {
    const { fetch, finish, whenStarted } = serve({ maxRequestsPerCaller: 1 });
    const isStarted = whenStarted();
    const first = fetch(call(alice));
    await isStarted;
    expect(await refusalOf(await fetch(call(alice)))).toEqual({
      status: 429,
      retryAfter: '1',
      id: 1,
      message: expect.stringContaining('its limit of requests or streams'),
    });
    const isOthersStarted = whenStarted();
    const others = fetch(call(bob));
    await isOthersStarted;
    for (const each of finish.splice(0)) each();
    expect(await (await first).text()).toContain('done');
    expect(await (await others).text()).toContain('done');
    const again = whenStarted();
    const next = fetch(call(alice));
    await again;
    for (const each of finish) each();
    expect((await next).status).toBe(200);
  });

  test('change streams, in both eras together', async () => {
    const { fetch, close } = serve({ maxStreamsPerCaller: 2 });
    const session = await openSession(fetch, alice);
    const streams = [
      await fetch(listen(alice)),
      await fetch(streamRequest({ ...alice, 'mcp-session-id': session })),
      await fetch(listen(alice)),
      await fetch(listen(bob)),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    await streams[0]?.body?.cancel();
    expect((await fetch(listen(alice))).status).toBe(200);
    await close();
  });

  test('sessions: evicts its own idle one, and no other caller’s', async () => {
    const { fetch } = serve({ maxSessionsPerCaller: 1 });
    const others = await openSession(fetch, bob);
    const first = await openSession(fetch, alice);
    const second = await openSession(fetch, alice);
    const list = (who: Record<string, string>, id: string) =>
      fetch(postRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { ...who, 'mcp-session-id': id }));
    expect((await list(alice, first)).status).toBe(404);
    expect((await list(bob, others)).status).toBe(200);

    const stream = await fetch(streamRequest({ ...alice, 'mcp-session-id': second }));
    expect(await refusalOf(await fetch(postRequest(initialize(), alice)))).toMatchObject({
      status: 429,
      retryAfter: '10',
      id: 0,
    });
    await stream.body?.cancel();
  });

  test('by default, it has half of the sessions and streams if there are others', async () => {
    const { fetch } = serve({ maxSubscriptions: 4, maxSessions: 4 });
    const streams = await Promise.all([listen(alice), listen(alice), listen(alice), listen(bob)].map(fetch));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    const sessions = [await openSession(fetch, bob)];
    for (let count = 0; count < 3; count++) sessions.push(await openSession(fetch, alice));
    const kept = await fetch(
      postRequest({ jsonrpc: '2.0', id: 1, method: 'ping' }, { ...bob, 'mcp-session-id': sessions[0] ?? '' }),
    );
    expect(kept.status).toBe(200);
  });

  test('large bodies', async () => {
    const { fetch } = serve({ maxBodyBytes: 1_000 });
    const bodies = Array.from({ length: 17 }, () => {
      let controller!: ReadableStreamDefaultController<Uint8Array>; // given by `start`, which runs at once
      const body = new ReadableStream<Uint8Array>({
        start: (given) => {
          controller = given;
        },
      });
      return { body, controller };
    });
    for (const { controller } of bodies) controller.enqueue(new Uint8Array(1_000).fill(0x20));
    const answers = bodies.map(({ body }) => fetch(postRequest(body, alice)));
    expect(await refusalOf(await Promise.race(answers))).toMatchObject({
      status: 429,
      message: expect.stringContaining('too large in total'),
    });
    expect((await fetch(postRequest(initialize(), bob))).status).toBe(200);
    for (const { controller } of bodies) controller.close();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(16);
    expect((await fetch(postRequest(initialize(), alice))).status).toBe(200);
  });

  test('cancellations and responses pass at the limit of requests', async () => {
    const { fetch, whenStarted, finish } = serve({ maxRequestsPerCaller: 1 });
    const session = await openSession(fetch, alice);
    const headers = { ...alice, 'mcp-session-id': session };
    const isStarted = whenStarted();
    const params = { name: 'wait', arguments: {} };
    const waiting = fetch(postRequest({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }, headers));
    await isStarted;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await fetch(postRequest({ jsonrpc: '2.0', id: 6, method: 'ping' }, headers))).status).toBe(429);
    expect((await fetch(postRequest(cancel, headers))).status).toBe(202);
    finish[0]?.();
    await (await waiting).body?.cancel();
  });
});

test('concurrent requests do not exceed the bound on sessions', async () => {
  const { fetch } = serve({ maxSessions: 10, maxSessionsPerCaller: 10 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(postRequest(initialize(), alice))));
  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted.length).toBe(10);
});

test('idle callers use no memory', () => {
  const shares = new CallerShares({ requests: 2, streams: 1, sessions: 1, bodyBytes: 10 });
  const [one, other] = [new Share(shares, 'alice'), new Share(shares, 'alice')];
  expect([one.acquire('requests'), one.acquire('bodyBytes', 6), other.acquire('bodyBytes', 5)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(shares.size).toBe(1);
  one.release();
  one.release();
  expect([other.acquire('bodyBytes', 10), other.acquire('requests', 3)]).toEqual([true, false]);
  other.release();
  expect(shares.size).toBe(0);
  expect(one.acquire('requests')).toBe(false);
  expect(shares.size).toBe(0);
});

test('bounds are resolved by name', () => {
  for (const name of ['maxRequestsPerCaller', 'maxStreamsPerCaller', 'maxSessionsPerCaller', 'maxQueuedBytes']) {
    expect(() => serve({ [name]: 0 })).toThrow(`${name} must be a whole number`);
  }
  for (const name of ['bodyTimeoutMs', 'maxStallMs'])
    expect(() => serve({ [name]: 2 ** 31 })).toThrow(`${name} must be`);
});
