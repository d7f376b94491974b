import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagedServer } from '../../src/servers/managed-server.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, fixtureSpec, managerOf, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

/** A call that the server works on already, and goes on working on until it is ended. */
async function callUnderWay(server: ManagedServer): Promise<{ failure: Promise<unknown>; end: AbortController }> {
  const end = new AbortController();
  let failure: Promise<unknown> | undefined;
  await new Promise<void>((resolve) => {
    const args = { ms: 600_000_000, steps: 60_000_000 };
    failure = failureOf(server.callTool('wait', args, { signal: end.signal, onProgress: () => resolve() }));
  });
  return { failure: failure as Promise<unknown>, end };
}

test('a call over the limit waits for its turn, and one over the queue is refused as busy with nothing sent', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { maxConcurrentCalls: 2, maxQueuedCalls: 1 } }));
  const server = manager.server('slow');
  const first = await callUnderWay(server);
  const second = await callUnderWay(server);
  const third = server.callTool('echo', { text: 'third' });
  expect(await failureOf(server.callTool('echo', { text: 'fourth' }))).toMatchObject({
    code: 'busy',
    retryable: true,
    retryAfterMs: undefined,
    message:
      'The call of "echo" was not sent: server "slow" has 2 calls in progress and 1 queued, which is its limit. Retry later, or raise "limits.maxConcurrentCalls" or "limits.maxQueuedCalls".',
  });
  first.end.abort();
  expect(textOf(await third)).toBe('third');
  second.end.abort();
  await Promise.all([first.failure, second.failure]);
});

test('a call that is cancelled in the queue frees its place and is never sent', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { maxConcurrentCalls: 1, maxQueuedCalls: 1 } }));
  const server = manager.server('slow');
  const first = await callUnderWay(server);
  const end = new AbortController();
  const cancelled = failureOf(server.callTool('wait', { ms: 60_000 }, { signal: end.signal }));
  const reason = new Error('not needed');
  end.abort(reason);
  expect(await cancelled).toBe(reason);
  const next = server.callTool('cancelled');
  first.end.abort();
  expect(JSON.parse(textOf(await next))).toHaveLength(1); // the first alone
});

test('the time of a call counts while it waits for its turn', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('slow');
  const first = await callUnderWay(server);
  expect(await failureOf(server.callTool('echo', {}, { timeoutMs: 50 }))).toMatchObject({
    code: 'timed-out',
    retryable: true,
    message:
      'The call of "echo" on server "slow" was not sent, since the server was busy with other calls for 50 ms. Raise "timeoutMs" to wait longer.',
  });
  first.end.abort();
});

test('a call that waits too long in the queue fails with "busy" and is not sent', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { maxConcurrentCalls: 1, queueTimeoutMs: 60 } }));
  const server = manager.server('slow');
  const first = await callUnderWay(server);
  const late = failureOf(server.callTool('wait', { ms: 60_000 }));
  const patient = server.callTool('cancelled', {}, { queueTimeoutMs: 600_000 });
  expect(await late).toMatchObject({
    code: 'busy',
    retryable: true,
    message:
      'Server "slow" was busy with other calls for 60 ms, so the call of "wait" was not sent. Retry later, or raise "limits.maxConcurrentCalls" or "limits.queueTimeoutMs".',
  });
  expect(server.status).toMatchObject({ callsInFlight: 1, callsQueued: 1 });
  first.end.abort();
  expect(JSON.parse(textOf(await patient))).toHaveLength(1); // the first alone
});

test('calls that wait when their server dies move on to the next process', async () => {
  await using manager = managerOf(serverSpec('dies-mid-call', [], { limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('dies-mid-call');
  const [died, ...answers] = await Promise.all([
    failureOf(server.callTool('die', { code: 1 })),
    server.callTool('echo', { text: 'a' }),
    server.callTool('echo', { text: 'b' }),
  ]);
  expect(died).toMatchObject({ code: 'outcome-unknown', retryable: false });
  expect(answers.map(textOf)).toEqual(['a', 'b']);
  expect(server.status.restarts).toBe(1);
});

test('calls that the server does not have yet when it is stopped are not made', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { maxConcurrentCalls: 1 } }));
  const server = manager.server('slow');
  await server.start();
  const calls = [server.callTool('echo'), server.callTool('echo')].map(failureOf);
  await server.stop();
  for (const call of calls) {
    expect(await call).toMatchObject({
      code: 'server-stopping',
      retryable: true,
      message: 'Server "slow" was stopped before the call of "echo" was sent.',
    });
  }
  expect(server.state).toBe('stopped');
});

test('fifty first calls at once start one process', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'starts');
  await using manager = managerOf(serverSpec('counter', ['--file', file]));
  const calls = Array.from({ length: 50 }, () => manager.callTool('counter', 'pid'));
  expect(new Set((await Promise.all(calls)).map(textOf)).size).toBe(1);
  expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(1);
});

test('a server that is silent for too long loses the call, and one that reports its progress does not', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const [silent, talking] = await Promise.all([
    failureOf(server.callTool('wait', { ms: 60_000, steps: 2 }, { idleTimeoutMs: 500 })),
    server.callTool('wait', { ms: 1_500, steps: 50 }, { idleTimeoutMs: 1_000 }),
  ]);
  expect(silent).toMatchObject({
    code: 'timed-out',
    message:
      'Server "slow" was silent for 500 ms while it worked on "wait", and the call was cancelled. Allow a longer silence with "idleTimeoutMs", or let the tool report its progress.',
  });
  expect(textOf(talking)).toBe('waited 1500 ms');
  expect(JSON.parse(textOf(await server.callTool('cancelled')))).toHaveLength(1);
});

test('progress does not extend the time of a call', async () => {
  await using manager = managerOf(serverSpec('slow'));
  await manager.server('slow').start();
  const options = { timeoutMs: 300, idleTimeoutMs: 60_000 };
  expect(await failureOf(manager.callTool('slow', 'wait', { ms: 600_000, steps: 60_000 }, options))).toMatchObject({
    code: 'timed-out',
    retryable: false,
    message: expect.stringContaining('had no result within 300 ms'),
  });
});

test.each([
  ['is not trusted', { trusted: false }, 'if-safe', 1],
  ['is trusted, when its caller asks for it', { trusted: true }, 'if-safe', 2],
  ['is trusted, when its caller does not ask for it', { trusted: true }, 'never', 1],
] as const)('a call that was lost in a server that %s is made as often as may be', async (_, spec, repeat, times) => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'payments');
  await using manager = managerOf(fixtureSpec('calls-once.mjs', [file], spec));
  await manager.server('fixture').start();
  expect(await failureOf(manager.callTool('fixture', 'pay', {}, { repeat }))).toMatchObject({
    code: 'outcome-unknown',
    message: expect.stringMatching(times === 1 ? /so it was not repeated\.$/ : /it is not made again\.$/),
  });
  expect(await readFile(file, 'utf8')).toBe('paid\n'.repeat(times));
});

test('a tool that says nothing of itself is not called twice', async () => {
  await using manager = managerOf(serverSpec('dies-mid-call', [], { trusted: true }));
  const server = manager.server('dies-mid-call');
  await server.start();
  expect(await failureOf(server.callTool('die', {}, { repeat: 'if-safe' }))).toMatchObject({ code: 'outcome-unknown' });
  expect(textOf(await server.callTool('echo', { text: 'again' }))).toBe('again');
  expect(server.status.restarts).toBe(1);
});

test.each([
  [{ queueTimeoutMs: 0 }, 'queueTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
  [{ idleTimeoutMs: 0 }, 'idleTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
  [{ repeat: 'always' as never }, 'repeat must be one of "never", "if-safe", got always'],
])('an option that cannot be is a mistake in the call: %j', async (options, message) => {
  await using manager = managerOf(serverSpec('echo'));
  await expect(manager.callTool('echo', 'echo', {}, options)).rejects.toThrow(new TypeError(message));
});

test('a server that is busy with a long call does not count as frozen', async () => {
  await using manager = managerOf(serverSpec('slow', [], { health: { method: 'ping', timeoutMs: 1_000 } }));
  const server = manager.server('slow');
  await server.start();
  const busy = server.callTool('busy', { ms: 2_500 });
  await new Promise((resolve) => setImmediate(resolve)); // calls are written at the end of their tick
  const checks = [await server.checkHealth(), await server.checkHealth()];
  expect(checks).toEqual([false, false]);
  expect(textOf(await busy)).toBe('busy for 2500 ms');
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 1, misses: 0 });
});
