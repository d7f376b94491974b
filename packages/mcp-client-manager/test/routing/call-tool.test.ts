import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagedServer } from '../../src/servers/managed-server.js';
import { temporaryDirectory } from '../helpers/processes.js';
import {
  failureOf,
  fixtureSpec,
  managerOf,
  managerWith,
  serverSpec,
  stateOf,
  textOf,
  warningsDuring,
} from '../helpers/servers.js';

afterEach(expectNoLeaks);

/** A call that the server works on already; it is never answered. */
async function callUnderWay(server: ManagedServer): Promise<{ failure: Promise<unknown> }> {
  let failure: Promise<unknown> | undefined;
  await new Promise<void>((resolve) => {
    const args = { ms: 600_000_000, steps: 60_000_000 };
    failure = failureOf(server.callTool('wait', args, { onProgress: () => resolve() }));
  });
  return { failure: failure as Promise<unknown> };
}

test('a call that takes too long is cancelled at the server, and its neighbours go on', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const neighbour = server.callTool('wait', { ms: 400 });
  const error = await failureOf(server.callTool('wait', { ms: 60_000 }, { timeoutMs: 100 }));
  expect(error).toMatchObject({
    code: 'timed-out',
    server: 'slow',
    message:
      'The call of "wait" on server "slow" had no result within 100 ms and was cancelled. Raise "timeoutMs" to wait longer.',
  });
  expect(textOf(await neighbour)).toBe('waited 400 ms');
  expect(JSON.parse(textOf(await server.callTool('cancelled')))).toHaveLength(1);
});

test('the timeout of a call includes the queue, and the error says when the call was not sent', async () => {
  await using manager = managerOf(serverSpec('never-initializes', [], { limits: { startupTimeoutMs: 60_000 } }));
  const error = await failureOf(manager.callTool('never-initializes', 'echo', {}, { timeoutMs: 50 }));
  expect(error).toMatchObject({
    code: 'timed-out',
    message:
      'The call of "echo" on server "never-initializes" was not sent, since the server was not ready within 50 ms. Raise "timeoutMs" to wait longer.',
  });
  expect(manager.server('never-initializes').state).toBe('starting');
});

test('the manager has a time for calls that name none', async () => {
  await using manager = managerWith({ callTimeoutMs: 50 }, serverSpec('slow'));
  await manager.server('slow').start();
  const call = manager.callTool('slow', 'wait', { ms: 60_000 }, { timeoutMs: undefined });
  expect(await failureOf(call)).toMatchObject({ code: 'timed-out' });
});

test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])(
  'a time of %d ms is a mistake in the call',
  async (timeoutMs) => {
    await using manager = managerOf(serverSpec('echo'));
    await expect(manager.callTool('echo', 'echo', {}, { timeoutMs })).rejects.toThrow(
      new TypeError(`timeoutMs must be a whole number of milliseconds from 1 to 2147483647, got ${timeoutMs}`),
    );
    expect(manager.server('echo').state).toBe('stopped');
  },
);

test("an abort rejects with the signal's reason and cancels the call on the server", async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const end = new AbortController();
  const call = failureOf(
    server.callTool('wait', { ms: 60_000, steps: 60_000 }, { signal: end.signal, onProgress: () => end.abort(reason) }),
  );
  const reason = { because: 'the user left' };
  expect(await call).toBe(reason);
  expect(JSON.parse(textOf(await server.callTool('cancelled')))).toHaveLength(1);
});

test('a signal that is aborted already keeps a call from being made', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const reason = new Error('too late');
  const signal = AbortSignal.abort(reason);
  expect(await failureOf(manager.callTool('echo', 'echo', {}, { signal }))).toBe(reason);
  expect(manager.server('echo').state).toBe('stopped');
});

test('an abort while the server starts ends the call, not the start', async () => {
  await using manager = managerOf(serverSpec('slow', ['--handshake-ms', '100']));
  const end = new AbortController();
  const call = failureOf(manager.callTool('slow', 'echo', {}, { signal: end.signal }));
  await stateOf(manager, 'slow', (state) => state.phase === 'starting' && state.step === 'handshake');
  const reason = new Error('enough');
  end.abort(reason);
  expect(await call).toBe(reason);
  await stateOf(manager, 'slow', 'ready');
});

type Exit = readonly [ends: string, args: Readonly<Record<string, unknown>>, what: string];

const signals: readonly Exit[] = [
  ['is killed', { signal: 'SIGKILL' }, 'exited (signal SIGKILL)'],
  ['crashes', { signal: 'SIGSEGV' }, 'exited (signal SIGSEGV)'],
];

test.each<Exit>([
  ['exits with 7', { code: 7 }, 'exited (code 7)'],
  ['exits with 0', { code: 0 }, 'exited (code 0)'],
  ...(process.platform === 'win32' ? [] : signals), // no exit says so there
])('a call in a process that %s has an unknown outcome, with exit and last words', async (_, args, what) => {
  await using manager = managerOf(serverSpec('dies-mid-call'));
  const server = manager.server('dies-mid-call');
  await server.start();
  const neighbour = failureOf(server.callTool('die', { code: 0, wait: true }));
  expect(await failureOf(server.callTool('die', args))).toMatchObject({ code: 'outcome-unknown' });
  await neighbour;

  expect(textOf(await server.callTool('echo', { text: 'again' }))).toBe('again');
  expect(await failureOf(server.callTool('die', args))).toMatchObject({
    code: 'outcome-unknown',
    server: 'dies-mid-call',
    message: `Server "dies-mid-call" ${what} while it worked on "die". The call may or may not have had its effect, so it was not repeated.`,
    stderrTail: ['dies-mid-call: cannot go on'],
  });
});

test('a sent call is never repeated by default', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'payments');
  await using manager = managerOf(fixtureSpec('calls-once.mjs', [file]));
  expect(await failureOf(manager.callTool('fixture', 'pay'))).toMatchObject({
    code: 'outcome-unknown',
    stderrTail: ['calls-once: lost the connection to the bank'],
  });
  await stateOf(manager, 'fixture', ({ phase, generation }) => phase === 'ready' && generation === 2);
  expect(await readFile(file, 'utf8')).toBe('paid\n');
});

test('a call that outlasts the stop of its server fails with the reason', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const call = await callUnderWay(server);
  await server.stop();
  expect(await call.failure).toMatchObject({
    code: 'outcome-unknown',
    retryable: false,
    cause: { code: 'server-stopping' },
    message:
      'Server "slow" was stopped while it worked on "wait". The call may or may not have had its effect, so it was not repeated.',
  });
});

test('a call that is under way when its server is restarted is finished first', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  let isUnderWay: () => void = () => undefined;
  const underWay = new Promise<void>((resolve) => {
    isUnderWay = resolve;
  });
  const call = server.callTool('wait', { ms: 200, steps: 20 }, { onProgress: () => isUnderWay() });
  await underWay;
  const { pid } = server.status;
  await server.restart();
  expect(textOf(await call)).toBe('waited 200 ms');
  expect(server.status.pid).not.toBe(pid);
});

test('a call that was not sent yet when its server is restarted moves to the next process', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const call = server.callTool('pid');
  await server.restart();
  expect(Number(textOf(await call))).toBe(server.status.pid);
});

test('a call that was not sent yet when its server is stopped is not made', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const call = failureOf(server.callTool('pid'));
  await server.stop();
  expect(await call).toMatchObject({ code: 'server-stopping', retryable: true });
  expect(server.state).toBe('stopped');
});

test('calls fail with "closed" during and after the close of the manager', async () => {
  const manager = managerOf(serverSpec('slow'), serverSpec('echo'));
  await manager.server('slow').start();
  const call = await callUnderWay(manager.server('slow'));
  await manager.close();
  expect(await call.failure).toMatchObject({ code: 'outcome-unknown', cause: { code: 'server-stopping' } });
  expect(await failureOf(manager.callTool('echo', 'echo'))).toMatchObject({
    code: 'closed',
    message: 'Server "echo" cannot be used: the client manager is closed',
  });
});

test('all progress of a call arrives in order and before its result', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const seen: unknown[] = [];
  const options = { onProgress: (progress: unknown) => seen.push(progress) };
  await manager.callTool('slow', 'wait', { ms: 20, steps: 4 }, options);
  expect(seen).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
});

test('progress of two calls at once goes to its own listener', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const seen: string[] = [];
  const call = (name: string, steps: number): Promise<unknown> =>
    manager.callTool(
      'slow',
      'wait',
      { ms: 40, steps },
      { onProgress: ({ total }) => seen.push(`${name} of ${total}`) },
    );
  await Promise.all([call('a', 2), call('b', 3)]);
  expect(seen.toSorted()).toEqual(['a of 2', 'a of 2', 'b of 3', 'b of 3', 'b of 3']);
});

test('a progress listener that throws is reported and does no harm', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const onProgress = (): void => {
    throw new Error('cannot listen');
  };
  const warnings = await warningsDuring(async () => {
    expect(textOf(await manager.callTool('slow', 'wait', { ms: 10, steps: 2 }, { onProgress }))).toBe('waited 10 ms');
  });
  expect(warnings).toEqual(
    Array(2).fill(expect.stringMatching(/^An onProgress listener threw: Error: cannot listen\n/)),
  );
});

test('a tool that fails is a result, and a protocol error is an error with the code of the server', async () => {
  await using manager = managerOf(serverSpec('echo'));
  expect(await manager.callTool('echo', 'fail')).toMatchObject({
    isError: true,
    content: [{ text: 'failed as asked' }],
  });
  expect(await failureOf(manager.callTool('echo', 'no_such_tool'))).toMatchObject({
    code: 'server-error',
    rpc: { code: -32_602, message: 'Unknown tool: no_such_tool' },
    message: 'Server "echo" answered the call of "no_such_tool" with an error: Unknown tool: no_such_tool (-32602)',
  });
});

test.each([[[]], ['text'], [5], [{ content: 'text' }], [{ content: [{ text: 'no type' }] }]])(
  'a result that is none fails its call at once: %j',
  async (call) => {
    await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ call })]));
    expect(await failureOf(manager.callTool('fixture', 'act'))).toMatchObject({
      name: 'ManagerError',
      code: 'server-error',
      message: expect.stringMatching(/^Server "fixture" (failed|answered) the call of "act"/),
    });
    expect(manager.server('fixture').state).toBe('running');
  },
);

test('a result without content is an empty one', async () => {
  await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ call: {} })]));
  expect(await manager.callTool('fixture', 'act')).toEqual({ content: [] });
});

test('a result of 100 MB fails its own call, and the connection and the other calls go on', async () => {
  await using manager = managerOf(serverSpec('huge-result'));
  const server = manager.server('huge-result');
  await server.start();
  const big = failureOf(server.callTool('big', { bytes: 100_000_000 }));
  const small = server.callTool('echo', { text: 'small' });
  expect(await big).toMatchObject({
    code: 'result-too-large',
    message: expect.stringMatching(/The result has 1\d{8} bytes; the limit is 33554432\./),
  });
  expect(textOf(await small)).toBe('small');
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 1 });
});

test('accepts a result just below the limit', async () => {
  await using manager = managerWith({ maxMessageBytes: 3_000_000 }, serverSpec('huge-result'));
  expect(textOf(await manager.callTool('huge-result', 'big', { bytes: 2_900_000 }))).toHaveLength(2_900_000);
  expect(await failureOf(manager.callTool('huge-result', 'big', { bytes: 3_000_000 }))).toMatchObject({
    code: 'result-too-large',
  });
});

test('arguments that cannot be written are a mistake in the call', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const circular: Record<string, unknown> = {};
  circular.itself = circular;
  expect(await failureOf(manager.callTool('echo', 'echo', circular))).toBeInstanceOf(TypeError);
  expect(await failureOf(manager.callTool('echo', 'echo', { text: 1n }))).toBeInstanceOf(TypeError);
  expect(textOf(await manager.callTool('echo', 'echo', { text: 'fine' }))).toBe('fine');
});

test('a hundred large calls at once with one signal warn of no leak', async () => {
  await using manager = managerOf(serverSpec('echo', [], { limits: { maxQueuedCalls: 100 } }));
  const { signal } = new AbortController();
  const text = 'x'.repeat(20_000);
  const warnings = await warningsDuring(async () => {
    const calls = Array.from({ length: 100 }, () => manager.callTool('echo', 'echo', { text }, { signal }));
    expect(new Set((await Promise.all(calls)).map(textOf))).toEqual(new Set([text]));
  });
  expect(warnings).toEqual([]);
});

test('calls that have settled leave nothing behind on a signal that outlives them', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const { signal } = new AbortController();
  await server.callTool('echo', { text: 'first' }, { signal });
  const listeners = getEventListeners(signal, 'abort').length;
  for (let call = 0; call < 20; call++) await server.callTool('echo', { text: 'more' }, { signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(listeners);
  expect(server.heedsSignals).toBe(true);
});
