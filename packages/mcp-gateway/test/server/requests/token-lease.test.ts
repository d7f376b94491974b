import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { type Caller, createRegistryHandler, toNodeListener } from '../../../src/index.js';
import { initialize, modernHeaders, modernRequest } from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

const TOKEN = 'the-token-of-alice';
const NEXT_TOKEN = 'the-next-token-of-alice';
const LONG_MS = 2 ** 31 - 1;

type Known = Caller & { readonly role?: string };

/** The owner of each token, which may change, on real HTTP. */
async function serveTokens(tokenCheckMs: number, alice: Known = { id: 'alice' }) {
  const known = new Map<string, Known | Error>([[TOKEN, alice]]);
  const registry = createRegistry();
  let begin = () => {};
  let finish = (_: string) => {};
  let cancel = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<string>((resolve) => (finish = resolve));
  const cancelled = new Promise<void>((resolve) => (cancel = resolve));
  registry.register({ name: 'wait', description: '' }, (_, { signal }) => {
    signal.addEventListener('abort', cancel);
    begin();
    return finished;
  });
  let checks = 0;
  let waiting: { readonly count: number; readonly resolve: () => void } | undefined;
  const handler = createRegistryHandler(registry, {
    tokenCheckMs,
    verifyToken: (token) => {
      checks++;
      if (waiting !== undefined && checks >= waiting.count) waiting.resolve();
      const caller = known.get(token);
      if (caller instanceof Error) throw caller;
      return caller;
    },
  });
  const server = await serveOnLoopback(toNodeListener(handler));
  const headersOf = (token: string, more: object) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  });
  return {
    known,
    registry,
    begun,
    cancelled,
    finish,
    /** Resolves when tokens were looked at so many times more. */
    checked: (more: number) => new Promise<void>((resolve) => (waiting = { count: checks + more, resolve })),
    post: (body: object, headers: object = {}, token = TOKEN) =>
      fetch(server.url, { method: 'POST', headers: headersOf(token, headers), body: JSON.stringify(body) }),
    get: (headers: object) => fetch(server.url, { headers: headersOf(TOKEN, headers) }),
    [Symbol.asyncDispose]: async () => {
      finish('');
      await handler.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const listen = modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } });
const call = modernRequest('tools/call', { name: 'wait', arguments: {} });
const legacyCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } };

async function openSession({ post }: Awaited<ReturnType<typeof serveTokens>>) {
  const answer = await post(initialize());
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

/** What comes next on a stream. */
async function nextText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}

describe('a revoked token', () => {
  test('ends the change streams that it opened, in both eras', async () => {
    await using served = await serveTokens(10);
    const session = await openSession(served);
    const streams = [await served.get(session), await served.post(listen, modernHeaders('subscriptions/listen'))];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    served.known.delete(TOKEN);
    const [legacy, modern] = await Promise.all(streams.map((stream) => stream.text()));
    expect(legacy).not.toContain('error');
    expect(modern).toContain('notifications/subscriptions/acknowledged');
  });

  test('ends them, too, if it now belongs to another caller or has another role', async () => {
    await using served = await serveTokens(10, { id: 'alice', role: 'admin' });
    const first = await served.post(listen, modernHeaders('subscriptions/listen'));
    served.known.set(TOKEN, { id: 'alice', role: 'guest' });
    await first.text();
    const second = await served.post(listen, modernHeaders('subscriptions/listen'));
    served.known.set(TOKEN, { id: 'bob', role: 'guest' });
    await second.text();
  });

  test('leaves a session to its owner’s next token', async () => {
    await using served = await serveTokens(10);
    const session = await openSession(served);
    const stream = await served.get(session);
    served.known.delete(TOKEN);
    served.known.set(NEXT_TOKEN, { id: 'alice' });
    await stream.text();
    const ping = await served.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session, NEXT_TOKEN);
    expect(await ping.json()).toMatchObject({ id: 2, result: {} });
  });

  test('cancels a call of revision 2026-07-28, which gets a 401', async () => {
    await using served = await serveTokens(10);
    const answer = served.post(call, modernHeaders('tools/call', 'wait'));
    await served.begun;
    served.known.delete(TOKEN);
    const { status, headers } = await answer;
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('invalid_token');
    await served.cancelled;
  });

  test('cancels a call of a session', async () => {
    await using served = await serveTokens(10);
    const session = await openSession(served);
    const answer = served.post(legacyCall, session);
    await served.begun;
    served.known.delete(TOKEN);
    await served.cancelled;
    expect(await (await answer).text()).not.toContain('result');
  });
});

test('a valid token ends nothing', async () => {
  await using served = await serveTokens(10);
  const stream = await served.post(listen, modernHeaders('subscriptions/listen'));
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  expect(await nextText(reader)).toContain('acknowledged');
  await served.checked(3);
  served.registry.register({ name: 'another', description: '' }, () => '');
  expect(await nextText(reader)).toContain('notifications/tools/list_changed');
});

test('a failing check ends nothing', async () => {
  await using served = await serveTokens(10);
  const stream = await served.post(listen, modernHeaders('subscriptions/listen'));
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  expect(await nextText(reader)).toContain('acknowledged');
  served.known.set(TOKEN, new Error('out of order'));
  await served.checked(3);
  served.registry.register({ name: 'another', description: '' }, () => '');
  expect(await nextText(reader)).toContain('notifications/tools/list_changed');
});

describe('an expired token', () => {
  /** Soon after it was looked at. */
  const expiring = (): Known => ({
    id: 'alice',
    get expiresAt() {
      return Date.now() + 100;
    },
  });

  test('ends the change streams that it opened at once', async () => {
    await using served = await serveTokens(LONG_MS, expiring());
    // As soon as it was let in: the token may be over before the answer is here.
    const isGone = served.checked(1).then(() => served.known.delete(TOKEN));
    const stream = await served.post(listen, modernHeaders('subscriptions/listen'));
    expect(await isGone).toBe(true);
    await stream.text();
  });

  test('ends them even if the check fails', async () => {
    await using served = await serveTokens(10, expiring());
    const stream = await served.post(listen, modernHeaders('subscriptions/listen'));
    served.known.set(TOKEN, new Error('out of order'));
    await stream.text();
  });

  test('lets its call finish', async () => {
    await using served = await serveTokens(10, { id: 'alice', expiresAt: Date.now() });
    const answer = served.post(call, modernHeaders('tools/call', 'wait'));
    await served.begun;
    const checked = served.checked(1);
    served.known.delete(TOKEN);
    await checked;
    served.finish('done');
    expect(await (await answer).json()).toMatchObject({ result: { content: [{ type: 'text', text: 'done' }] } });
  });
});

test('refuses an invalid tokenCheckMs', () => {
  const options = { verifyToken: () => undefined, tokenCheckMs: 0 };
  expect(() => createRegistryHandler(createRegistry(), options)).toThrow('tokenCheckMs must be a whole number');
});
