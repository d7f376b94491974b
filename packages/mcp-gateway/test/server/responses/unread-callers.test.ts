import { connect, type Socket } from 'node:net';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenVerifier } from '../../../src/identity.js';
import { createGateway, createRegistryHandler, type RegistryHandler, toNodeListener } from '../../../src/index.js';
import { silentUpstreams } from '../../gateway/helpers/plain-upstream.js';
import {
  initialize,
  modernHeaders,
  modernMeta,
  openSession,
  postRequest,
  streamRequest,
} from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

const MB = 1_000_000;
/** More than the system takes for a client that does not read. */
const LARGE = 24 * MB;
const limits = { maxWaitingBytesPerCaller: 2 * MB, maxWaitingBytes: 8 * MB, maxQueuedBytes: 100 * MB };
/** The limit, one message beyond it, and what the count of small pieces takes. */
const MOST = limits.maxWaitingBytesPerCaller + LARGE + 0.1 * MB;

const verifyToken = createTokenVerifier([
  { token: 'the-token-of-alice', id: 'alice' },
  { token: 'the-token-of-bob-1', id: 'bob' },
]);
const alice = { authorization: 'Bearer the-token-of-alice' };
const bob = { authorization: 'Bearer the-token-of-bob-1' };

let registry: Registry;
let handler: RegistryHandler;
let server: Awaited<ReturnType<typeof serveOnLoopback>>;
let most: number;
/** How many large results were made. */
let made: number;
let floods: Promise<void>[];
let sockets: Socket[];

beforeEach(async () => {
  most = 0;
  made = 0;
  floods = [];
  sockets = [];
  registry = createRegistry();
  registry.register({ name: 'flood', description: '' }, (_, { signal, reportProgress }) => {
    const flood = (async () => {
      for (let progress = 1; !signal.aborted; progress++) {
        reportProgress({ progress, message: 'x'.repeat(50_000) });
        await new Promise((next) => setImmediate(next));
        most = Math.max(most, handler.waiting().bytes);
      }
    })();
    floods.push(flood);
    return flood;
  });
  registry.register({ name: 'large', description: '' }, () => {
    made++;
    return 'x'.repeat(LARGE);
  });
  handler = createRegistryHandler(registry, { verifyToken, ...limits });
  server = await serveOnLoopback(toNodeListener(handler));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await handler.close();
  await server[Symbol.asyncDispose]();
  while (handler.waiting().callers > 0) await new Promise((next) => setImmediate(next)); // each answer learns of its end
  expect(handler.waiting().bytes).toBe(0);
});

/** Calls a tool, and reads nothing of the answer. */
function callUnread(name: string): Socket {
  const params = { name, arguments: {}, _meta: { ...modernMeta, ...(name === 'flood' && { progressToken: 1 }) } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': body.length,
    ...modernHeaders('tools/call', name),
    ...bob,
  };
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${value}\r\n`);
  const socket = connect(server.port, '127.0.0.1').pause();
  socket.on('error', () => undefined).write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  sockets.push(socket);
  return socket;
}

function calling(name: string, meta: object = { progressToken: 1 }) {
  const params = { name, arguments: {}, _meta: { ...modernMeta, ...meta } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

async function ping(session: string): Promise<unknown> {
  const answer = await fetch(server.url, {
    method: 'POST',
    headers: {
      ...alice,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  return answer.json();
}

test('unread streams of one caller end at its limit, and another caller is served meanwhile', async () => {
  const session = await openSession(handler.fetch, alice);
  const listening = await handler.fetch(streamRequest({ ...alice, 'mcp-session-id': session }));
  for (let count = 0; count < 10; count++) callUnread('flood');
  while (most < MB) expect(await ping(session)).toMatchObject({ result: {} });
  await Promise.all(floods);
  expect(most).toBeGreaterThan(MB);
  expect(most).toBeLessThan(MOST);
  expect(await ping(session)).toMatchObject({ result: {} });
  expect(listening.body?.locked).toBe(false);
  await listening.body?.cancel();
});

test('unread results of one caller stay below its limit', async () => {
  const session = await openSession(handler.fetch, alice);
  const answered = Array.from({ length: 10 }, () => once(callUnread('large'), 'readable'));
  await Promise.all(answered);
  expect(handler.waiting().bytes).toBeGreaterThan(MB);
  expect(handler.waiting().bytes).toBeLessThan(MOST);
  expect(made).toBeLessThan(5);
  expect(await ping(session)).toMatchObject({ result: {} });
});

test('a caller with too many unread bytes is refused before anything is done', async () => {
  const session = await openSession(handler.fetch, bob);
  const unread = callUnread('large');
  await once(unread, 'readable');
  const headers = { ...bob, 'mcp-session-id': session };
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'flood', arguments: {} } };
  const refused = await handler.fetch(postRequest(call, headers));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({
    id: 7,
    error: { message: 'Too many bytes are pending for this caller; read the responses, or retry later' },
  });
  expect(floods).toHaveLength(0);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  expect((await handler.fetch(postRequest(cancel, headers))).status).toBe(202);
});

test('a message of a caller at its limit is dropped before it is serialized', async () => {
  const text = 'y'.repeat(100_000);
  let report: () => void = () => undefined;
  let reports = 0;
  const begun = new Promise<void>((resolve) => {
    registry.register({ name: 'gated', description: '' }, async (_, { reportProgress }) => {
      const gate = new Promise<void>((open) => (report = open));
      resolve();
      await gate;
      for (; reports < 1_000; reports++) reportProgress({ progress: reports, message: text });
      return 'over';
    });
  });
  const answer = handler.fetch(postRequest(calling('gated'), { ...bob, ...modernHeaders('tools/call', 'gated') }));
  await begun;
  await once(callUnread('large'), 'readable');
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    report();
    expect(await (await answer).text()).toContain('over');
    const serialized = stringify.mock.results.filter(({ value }) => String(value).includes(text));
    expect([reports, serialized.length]).toEqual([1_000, 0]);
  } finally {
    stringify.mockRestore();
  }
});

test('the bytes of a stream count until they are read, also after its result', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  registry.register({ name: 'steps', description: '' }, async (_, { reportProgress }) => {
    reportProgress({ progress: 1, message: 'y'.repeat(MB) });
    await gate;
    return 'over';
  });
  const session = await openSession(handler.fetch, bob);
  const params = { name: 'steps', arguments: {}, _meta: { progressToken: 1 } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await handler.fetch(postRequest(call, { ...bob, 'mcp-session-id': session }));
  await vi.waitFor(() => expect(handler.waiting().bytes).toBeGreaterThan(MB), { interval: 1 });
  open();
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
  expect(handler.waiting().bytes).toBeGreaterThan(MB);
  expect(await answer.text()).toContain('over');
  expect(handler.waiting().bytes).toBeGreaterThanOrEqual(0);
});

test('of many concurrent results, only those with room are serialized, and the others are errors', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let waiting = 0;
  const allWait = new Promise<void>((resolve) => {
    registry.register({ name: 'slow', description: '' }, async () => {
      if (++waiting === 20) resolve();
      await gate;
      return 'x'.repeat(MB);
    });
  });
  await using gateway = createGateway({ registry, upstreams: silentUpstreams() });
  const gated = gateway.handler({ verifyToken, ...limits }, () => ({}));
  const headers = { ...bob, ...modernHeaders('tools/call', 'slow') };
  const answers = Array.from({ length: 20 }, () => gated.fetch(postRequest(calling('slow', {}), headers)));
  await allWait;
  const stringify = vi.spyOn(JSON, 'stringify');
  open();
  const all = await Promise.all(answers);
  const serialized = stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  stringify.mockRestore();
  expect(serialized).toBeLessThan(3 * MB);
  const texts = await Promise.all(all.map((answer) => answer.text()));
  expect(texts.filter((text) => text.includes('The result was dropped'))).toHaveLength(18);
  expect(texts.filter((text) => text.includes('xxx'))).toHaveLength(2);
  await gated.close();
});

test('a result above the limit arrives whole at a client that reads, while others are unread', async () => {
  const unread = callUnread('large');
  await once(unread, 'readable');
  unread.destroy();
  const request = postRequest(initialize(), bob);
  await (await handler.fetch(request)).text();
  let letters = 0;
  const reading = callUnread('large').setEncoding('utf8');
  await new Promise<void>((resolve) => {
    reading.on('data', (part) => {
      letters += String(part).match(/x{2,}/g)?.join('').length ?? 0;
      if (letters >= LARGE) resolve();
    });
    reading.on('close', resolve).resume();
  });
  expect(letters).toBeGreaterThanOrEqual(LARGE);
});

function once(socket: Socket, event: 'readable'): Promise<void> {
  return new Promise((resolve) => {
    socket.once(event, resolve);
    socket.once('close', () => resolve());
  });
}
