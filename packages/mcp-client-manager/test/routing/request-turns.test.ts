import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagedServer } from '../../src/servers/managed-server.js';
import { failureOf, fixtureSpec, managerOf, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const spec = (extras: Parameters<typeof fixtureSpec>[2]) => fixtureSpec('odd-server.mjs', ['plain'], extras);
/** How many requests the server has and holds back. */
const held = async (server: ManagedServer): Promise<string> => textOf(await server.callTool('act', { held: true }));
const letGo = { release: true };

test('requests have their turn among the calls, and are refused as busy when too many wait', async () => {
  const limits = { maxConcurrentCalls: 3, maxQueuedCalls: 1 };
  await using manager = managerOf(spec({ limits }));
  const server = manager.server('fixture');
  await server.start();
  const reading = [server.readResource('odd:held'), server.readResource('odd:held')];
  expect(await held(server)).toBe('2');
  const third = server.request('tools/call', { name: 'hang', arguments: {} });
  const fourth = server.listResources();
  const refused = [server.readResource('odd:a'), server.listPrompts(), server.callTool('act')].map(failureOf);
  for (const failure of await Promise.all(refused)) expect(failure).toMatchObject({ code: 'busy', retryable: true });
  expect(await failureOf(server.getPrompt('x'))).toMatchObject({
    message:
      '"prompts/get" was not sent: server "fixture" has 3 calls in progress and 1 queued, which is its limit. Retry later, or raise "limits.maxConcurrentCalls" or "limits.maxQueuedCalls".',
  });
  await manager.apply({ servers: [spec({ limits: { ...limits, maxConcurrentCalls: 5 } })] });
  expect((await fourth).items).toHaveLength(1);
  await server.callTool('act', letGo);
  await Promise.all([...reading, third]);
});

test('more calls at a time let those in that wait, at once', async () => {
  await using manager = managerOf(spec({ limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('fixture');
  await server.start();
  const hung = server.callTool('hang');
  const waiting = server.callTool('act');
  await manager.apply({ servers: [spec({ limits: { maxConcurrentCalls: 2 } })] });
  expect(textOf(await waiting)).toBe('acted');
  await server.callTool('act', letGo);
  await hung;
});

test('a request that waits for its turn ends with its signal or its time, and is never sent', async () => {
  await using manager = managerOf(spec({ limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('fixture');
  await server.start();
  const hung = server.callTool('hang');
  const end = new AbortController();
  const cancelled = failureOf(server.readResource('odd:held', { signal: end.signal }));
  const late = failureOf(server.readResource('odd:held', { timeoutMs: 50 }));
  const reason = new Error('not needed');
  end.abort(reason);
  expect(await cancelled).toBe(reason);
  expect(await late).toMatchObject({
    code: 'timed-out',
    retryable: true,
    message:
      '"resources/read" on server "fixture" was not sent, since the server was busy with other calls for 50 ms. Raise "timeoutMs" to wait longer.',
  });
  await manager.apply({ servers: [spec({ limits: { maxConcurrentCalls: 2 } })] });
  expect(await held(server)).toBe('1');
  await server.callTool('act', letGo);
  await hung;
});

test('a request that waits too long for its turn is busy, and is never sent', async () => {
  await using manager = managerOf(spec({ limits: { maxConcurrentCalls: 1, queueTimeoutMs: 600_000 } }));
  const server = manager.server('fixture');
  await server.start();
  const hung = server.callTool('hang');
  expect(await failureOf(server.readResource('odd:held', { queueTimeoutMs: 50 }))).toMatchObject({
    code: 'busy',
    retryable: true,
    message: expect.stringMatching(
      /^Server "fixture" was busy with other calls for 50 ms, so "resources\/read" was not/,
    ),
  });
  await expect(server.readResource('odd:held', { queueTimeoutMs: 0 })).rejects.toThrow(TypeError);
  await manager.apply({ servers: [spec({ limits: { maxConcurrentCalls: 2 } })] });
  expect(await held(server)).toBe('1');
  await server.callTool('act', letGo);
  await hung;
});

test('a request that has no turn yet when its server is stopped is not made', async () => {
  await using manager = managerOf(spec({ limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('fixture');
  await server.start();
  const requests = [server.readResource('odd:a'), server.readResource('odd:b')].map(failureOf);
  await server.stop();
  for (const request of requests) {
    expect(await request).toMatchObject({
      code: 'server-stopping',
      message: 'Server "fixture" was stopped before "resources/read" was sent.',
    });
  }
  expect(server.state).toBe('stopped');
});

test('a call of a tool as a request is a call of the tool', async () => {
  await using manager = managerOf(spec({}));
  const server = manager.server('fixture');
  await server.start();
  const progress: unknown[] = [];
  const call = { name: 'act', arguments: {}, _meta: { traceparent: 'x' } };
  const result = await server.request('tools/call', call, { onProgress: (told) => void progress.push(told) });
  expect(result).toEqual({ content: [{ type: 'text', text: 'acted' }] });
  expect(progress).toHaveLength(1);
  const wrong = { name: 'wrong', arguments: {} };
  expect(await failureOf(server.request('tools/call', wrong))).toMatchObject({ code: 'invalid-result' });
  const raw = server.request('tools/call', wrong, { inputRequired: 'return' });
  expect(await failureOf(raw)).toMatchObject({ code: 'invalid-result' });
});

const bob = { caller: { role: 'limited', principal: 'bob' } };
const alice = { caller: { role: 'limited', principal: 'alice' } };

test('a caller whose slow calls fill the server and its queue keeps no other caller waiting', async () => {
  await using manager = managerOf(spec({}));
  const server = manager.server('fixture');
  await server.start();
  const hung = Array.from({ length: 15 + 64 }, () =>
    server.callTool('hang', {}, bob).then(
      () => undefined,
      (failure: unknown) => failure,
    ),
  );
  expect(await failureOf(server.callTool('act', {}, bob))).toMatchObject({ code: 'busy', retryable: true });
  expect(textOf(await server.callTool('act', {}, alice))).toBe('acted');
  // The queue is full of bob's calls: what alice sends beyond her turn takes places of his.
  const waiting = [server.callTool('hang', {}, alice), server.readResource('odd:a', alice)];
  expect(await Promise.race(hung)).toMatchObject({
    code: 'busy',
    retryable: true,
    message: expect.stringContaining('its place went to a caller with fewer calls in the queue'),
  });
  await manager.apply({ servers: [spec({ limits: { maxConcurrentCalls: 100 } })] });
  await server.callTool('act', letGo);
  await Promise.all(waiting);
  const failures = (await Promise.all(hung)).filter((failure) => failure !== undefined);
  expect(failures).toHaveLength(1);
});

test('clients of one owner share its turns', async () => {
  await using manager = managerOf(spec({ limits: { maxConcurrentCalls: 4, maxQueuedCalls: 2 } }));
  const server = manager.server('fixture');
  await server.start();
  const handlerOf = (owner: string) => ({ client: {}, owner, capabilities: {}, answer: async () => ({}) });
  const hung = Array.from({ length: 5 }, () => server.callTool('hang', {}, { handler: handlerOf('bob') }));
  expect(await failureOf(server.callTool('act', {}, { handler: handlerOf('bob') }))).toMatchObject({ code: 'busy' });
  expect(textOf(await server.callTool('act', {}, { handler: handlerOf('alice') }))).toBe('acted');
  await manager.apply({ servers: [spec({ limits: { maxConcurrentCalls: 10 } })] });
  await server.callTool('act', letGo);
  await Promise.all(hung);
});
