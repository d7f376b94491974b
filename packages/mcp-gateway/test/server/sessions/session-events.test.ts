import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { createRegistry } from '@x/mcp-registry';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistryHandler } from '../../../src/index.js';
import { WaitingBytes } from '../../../src/server/responses/waiting-bytes.js';
import { SessionEvents } from '../../../src/server/sessions/session-events.js';
import { openSession, postRequest, streamRequest } from '../../helpers/http-requests.js';

const notice = (text: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { text },
});
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

function replayed(events: SessionEvents, id: string): readonly unknown[] | undefined {
  return events.after(id)?.events.map(({ message }) => message);
}

describe('stored events', () => {
  test('are returned after an event, of its stream only', () => {
    const events = new SessionEvents();
    const first = events.store('one');
    const second = events.store('one', notice('a'));
    events.store('two', notice('b'));
    events.store('one', answer(1));
    expect(events.after(first)?.stream).toBe('one');
    expect(replayed(events, first)).toEqual([notice('a'), answer(1)]);
    expect(replayed(events, second)).toEqual([answer(1)]);
  });

  test.each(['', 'one', 'one:', 'one:99', 'three:1', 'one:-1', 'one:1e3', ':1'])('are not returned after %j', (id) => {
    const events = new SessionEvents();
    events.store('one', notice('a'));
    expect(events.after(id)).toBeUndefined();
  });

  test('of a request are not returned if one is evicted', () => {
    const events = new SessionEvents({ maxBytes: 1_000_000, maxEvents: 3 });
    const first = events.store('one');
    const second = events.store('one', notice('a'));
    for (const text of ['b', 'c', 'd']) events.store('one', notice(text));
    expect(events.after(first)).toBeUndefined();
    expect(replayed(events, second)).toEqual(['b', 'c', 'd'].map(notice));
  });

  test('of no request are returned as far as they are stored', () => {
    const events = new SessionEvents({ maxBytes: 1_000_000, maxEvents: 2 });
    const first = events.store('_GET_stream', notice('a'));
    for (const text of ['b', 'c', 'd']) events.store('_GET_stream', notice(text));
    expect(replayed(events, first)).toEqual(['c', 'd'].map(notice));
  });

  test('stay when an event above the bound arrives', () => {
    const waiting = new WaitingBytes({ perCaller: 100_000, all: 100_000 }).open('bob');
    const events = new SessionEvents({ maxBytes: 1_000, waiting });
    const first = events.store('_GET_stream', notice('a'));
    events.store('_GET_stream', notice('b'));
    const { bytes } = events.size;
    events.store('_GET_stream', notice('c'.repeat(2_000)));
    expect(replayed(events, first)).toEqual([notice('b')]);
    expect(events.size).toEqual({ events: 2, bytes });
  });

  test('of a received response are removed', () => {
    const events = new SessionEvents();
    const first = events.store('one');
    events.store('one', answer(1));
    events.store('two', answer(2));
    events.forgetAnswers([1]);
    expect(events.after(first)).toBeUndefined();
    expect(events.size.events).toBe(1);
    events.clear();
    expect(events.size).toEqual({ events: 0, bytes: 0 });
  });

  test('of any size stay beside others for a client that was sent away, up to 16', () => {
    const events = new SessionEvents({ maxBytes: 1_000, maxEvents: 3 });
    const first = events.store('one');
    events.store('one', notice('x'.repeat(5_000)), { isAwaited: true });
    for (const text of ['a', 'b', 'c', 'd']) events.store('other', notice(text));
    expect(replayed(events, first)).toEqual([notice('x'.repeat(5_000))]);
    for (let id = 1; id <= 16; id++) events.store(`${id}`, answer(id), { isAwaited: true });
    expect(events.after(first)).toBeUndefined();
  });

  test('of a busy session leave the stream of a client that was sent away known', () => {
    const events = new SessionEvents({ maxBytes: 1_000, maxEvents: 3 });
    const first = events.store('one');
    events.sendAway('one');
    for (const text of ['a', 'b', 'c', 'd']) events.store('other', notice(text));
    expect(replayed(events, first)).toEqual([]);
    events.store('one', answer(1), { isAwaited: true });
    expect(replayed(events, first)).toEqual([answer(1)]);
    events.forgetAnswers([1]);
    expect(events.after(first)).toBeUndefined();
    for (let number = 0; number <= 16; number++) events.sendAway(`${number}`);
    expect([events.after('0:1'), replayed(events, '1:1')]).toEqual([undefined, []]);
  });

  test('of a client that was sent away are evicted when others need the memory', () => {
    const bytes = new WaitingBytes({ perCaller: 10_000, all: 10_000 });
    const events = new SessionEvents({ waiting: bytes.open('bob') });
    const first = events.store('one');
    events.store('one', notice('x'.repeat(20_000)), { isAwaited: true });
    expect(bytes.open('bob').tryAdd(100)).toBe(true);
    expect(events.after(first)).toBeUndefined();
  });

  test('are bounded for any messages', () => {
    const stored = fc.array(fc.tuple(fc.constantFrom('one', 'two', '_GET_stream'), fc.string({ maxLength: 400 })));
    fc.assert(
      fc.property(stored, (messages) => {
        const events = new SessionEvents({ maxBytes: 1_000, maxEvents: 5 });
        for (const [stream, text] of messages) {
          events.store(stream, notice(text));
          expect(events.size.bytes).toBeLessThanOrEqual(1_000);
          expect(events.size.events).toBeLessThanOrEqual(5);
        }
      }),
    );
  });
});

describe('a client of a session that loses a connection', () => {
  async function serve() {
    const registry = createRegistry();
    let started = () => {};
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => (finish = resolve));
    registry.register({ name: 'wait', description: '' }, async (_, { reportProgress }) => {
      started();
      await isFinished;
      reportProgress({ progress: 1 });
      return 'the answer';
    });
    const handler = createRegistryHandler(registry, { allowAnonymous: true, keepAliveMs: 20 });
    const headers = { 'mcp-session-id': await openSession(handler.fetch), 'mcp-protocol-version': '2025-11-25' };
    const params = { name: 'wait', arguments: {}, _meta: { progressToken: 1 } };
    const call = () => handler.fetch(postRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers));
    const resume = (id: string) => handler.fetch(streamRequest({ ...headers, 'last-event-id': id }));
    return { ...handler, call, resume, isStarted, finish };
  }
  const idsIn = (text: string) => Array.from(text.matchAll(/^id: (.+)$/gm), ([, id]) => id ?? '');

  test('gets a reconnection delay, and then the response', async () => {
    const { call, resume, isStarted, finish, close } = await serve();
    const response = await call();
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toMatch(/^id: \S+\nretry: 1000\ndata: \n\n$/);
    await isStarted;
    await reader?.cancel();
    const again = await resume(idsIn(first)[0] ?? '');
    finish();
    const rest = await again.text();
    expect(rest).toContain('notifications/progress');
    expect(rest).toContain('the answer');
    await close();
  });

  test('gets what was sent while it was disconnected', async () => {
    const { call, resume, isStarted, finish, close } = await serve();
    const reader = (await call()).body?.getReader();
    const [id = ''] = idsIn(new TextDecoder().decode((await reader?.read())?.value));
    await isStarted;
    await reader?.cancel();
    finish();
    // All other responses come after it.
    let rest = '';
    while (!rest.includes('the answer')) rest = await (await resume(id)).text();
    expect(rest).toContain('notifications/progress');
    await close();
  });

  test('gets neither another client’s response nor one that it has received', async () => {
    const { call, resume, isStarted, finish, close, fetch } = await serve();
    const response = await call();
    await isStarted;
    finish();
    const text = await response.text();
    const [id = ''] = idsIn(text);
    expect(text).toContain('the answer');
    expect((await resume(id)).status).toBe(400);
    const other = await openSession(fetch);
    expect((await fetch(streamRequest({ 'mcp-session-id': other, 'last-event-id': id }))).status).toBe(400);
    await close();
  });
});
