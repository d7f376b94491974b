import { Emitter } from '@x/internal/events';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UpstreamEvent, UpstreamLogEntry } from '../../src/gateway/upstream.js';
import { createTokenVerifier } from '../../src/identity.js';
import { createGateway, type RegistryHandler } from '../../src/index.js';
import { openSession, postRequest, streamRequest } from '../helpers/http-requests.js';
import { createPlainUpstream } from './helpers/plain-upstream.js';

const SESSIONS = 20;
const verifyToken = createTokenVerifier([{ token: 'the-token-of-alice', id: 'alice' }]);
const alice = { authorization: 'Bearer the-token-of-alice' };

let emitter: Emitter<{ readonly 'server-log': UpstreamEvent & UpstreamLogEntry }>;
let handler: RegistryHandler;
let close: () => Promise<void>;

beforeEach(() => {
  const registry = createRegistry();
  const desk = createPlainUpstream('desk');
  desk.session = { capabilities: { logging: {} } };
  emitter = new Emitter();
  const gateway = createGateway({ registry, upstreams: { servers: () => [desk], events: emitter as never } });
  handler = gateway.handler({ verifyToken }, () => ({}));
  close = async () => {
    await handler.close();
    await gateway.close();
    await registry.close();
  };
});
afterEach(() => close());

/** Opens a session with a stream of notifications that is not read yet. */
async function openStream(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const headers = { ...alice, 'mcp-session-id': await openSession(handler.fetch, alice) };
  await handler.fetch(postRequest({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
  const { body } = await handler.fetch(streamRequest(headers));
  if (body === null) throw new Error('The stream has no body');
  return body.getReader();
}

async function readMessage(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  while (!text.endsWith('\n\n')) {
    const { value, done } = await reader.read();
    if (done) throw new Error('The stream is over');
    text += decoder.decode(value, { stream: true });
  }
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '').params;
}

function log(entry: Partial<UpstreamLogEntry>): void {
  emitter.emit('server-log', { server: 'desk', level: 'info', data: '', ...entry });
}

test('serializes an entry once for all streams of a caller, and its bytes count once', async () => {
  const readers = await Promise.all(Array.from({ length: SESSIONS }, openStream));
  const data = 'y'.repeat(200_000);
  const before = handler.waiting().bytes;
  const stringify = vi.spyOn(JSON, 'stringify');
  log({ data });
  await vi.waitFor(() => expect(handler.waiting().bytes - before).toBeGreaterThan(data.length), { interval: 1 });
  const serialized = stringify.mock.results.filter(({ value }) => String(value).includes(data));
  stringify.mockRestore();
  expect(serialized).toHaveLength(1);
  for (const reader of readers) {
    expect(await readMessage(reader)).toEqual({ level: 'info', logger: 'desk', data });
    await reader.cancel();
  }
});

test('replaces an entry of more than 256 KiB by a short note', async () => {
  const reader = await openStream();
  log({ level: 'error', logger: 'drawer', data: { rows: Array.from({ length: 30 }, () => 'y'.repeat(10_000)) } });
  expect(await readMessage(reader)).toEqual({
    level: 'error',
    logger: 'desk',
    data: 'A log entry of server "desk" was left out: it is larger than 262144 bytes.',
  });
  log({ logger: 'y'.repeat(300_000) });
  expect(await readMessage(reader)).toMatchObject({ logger: 'desk' });
  log({ logger: 'drawer', data: 'y'.repeat(200_000) });
  expect(await readMessage(reader)).toMatchObject({ logger: 'desk.drawer', data: 'y'.repeat(200_000) });
  await reader.cancel();
});
