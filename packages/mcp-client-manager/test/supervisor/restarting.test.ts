import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installFakeClock } from '../../src/testing.js';
import { failureOf, isRunning, managerOf, phasesOf, serverSpec, stateOf, textOf } from '../helpers/servers.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manager-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await expectNoLeaks();
});

function counterSpec(
  crashes: number,
  extras: Parameters<typeof serverSpec>[2] = {},
  args: readonly string[] = [],
): ReturnType<typeof serverSpec> {
  return serverSpec('counter', ['--file', join(folder, 'starts'), '--crash-first', String(crashes), ...args], extras);
}

async function starts(): Promise<number> {
  return (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n').length;
}

test('a server that exits while ready is started again', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const pid = Number(textOf(await server.callTool('pid')));
  process.kill(pid, 'SIGKILL');
  await stateOf(manager, 'echo', 'backoff');
  await stateOf(manager, 'echo', 'ready');
  expect(Number(textOf(await server.callTool('pid')))).not.toBe(pid);
  expect(server.status).toMatchObject({ restarts: 1, lastError: 'Server "echo" exited (signal SIGKILL)' });
});

test('a crash loop is parked after its restarts, and a call right after it starts nothing', async () => {
  await using manager = managerOf(counterSpec(1_000, { restart: { maxAttempts: 2 } }, ['--when', 'tools']));
  const server = manager.server('counter');
  await failureOf(server.start());
  const parked = await stateOf(manager, 'counter', 'parked');
  expect(parked).toMatchObject({ generation: 3, failures: 3 });
  expect(await starts()).toBe(3);
  expect(await failureOf(server.callTool('echo'))).toMatchObject({
    code: 'start-failed',
    retryable: false,
    message:
      'Server "counter" exited (code 1). While the client manager is open, the server is tried again in a few minutes, or when it is started by hand.',
    stderrTail: ['counter: crashing on start 3'],
  });
  expect(await starts()).toBe(3);
  expect(server).toMatchObject({ state: 'failed', lifecycle: parked });
});

test('a crash loop starts six processes in its first minute at most, is parked, and has nothing to do then', {
  timeout: 60_000,
}, async () => {
  const clock = installFakeClock();
  try {
    await using manager = managerOf(counterSpec(1_000, { restart: { maxAttempts: 10 } }, ['--when', 'tools']));
    const server = manager.server('counter');
    await failureOf(server.start());
    for (let ms = 0; ms < 60_000; ms += 1_000) await clock.advance(1_000);
    expect(await starts()).toBeGreaterThan(3);
    expect(await starts()).toBeLessThanOrEqual(6);
    while (server.phase !== 'parked') await clock.advance(10_000);
    expect(server.lifecycle).toMatchObject({ failures: 11 });
    const phases = phasesOf(manager, 'counter');
    await clock.advance(230_000);
    expect(phases).toEqual(['parked']); // a call may wake it again from half a minute on
    expect(await starts()).toBe(11);
    expect(process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap')).toEqual([]);
  } finally {
    clock.uninstall();
  }
});

test('a server that would work at its third start gets there', async () => {
  await using manager = managerOf(counterSpec(2));
  const server = manager.server('counter');
  await failureOf(server.start());
  await stateOf(manager, 'counter', 'ready');
  expect(await starts()).toBe(3);
  expect(server.status).toMatchObject({ phase: 'ready', restarts: 2 });
});

test('a server that exits in the same way each time is parked after all of its restarts, with its stderr', async () => {
  const spec = serverSpec('exits-at-once', ['--stderr', 'no licence'], { restart: { maxAttempts: 2 } });
  await using manager = managerOf(spec);
  const server = manager.server('exits-at-once');
  await failureOf(server.start());
  expect(await stateOf(manager, server.name, 'parked')).toMatchObject({ generation: 3, failures: 3 });
  expect(server.stderrTail()).toEqual(['no licence']);
  const { retryInMs, lastError } = server.status;
  expect(retryInMs).toBeGreaterThan(200_000);
  expect(lastError).toBe(
    'Server "exits-at-once" exited (code 1) before the handshake was over. Its stderr ends with "no licence". Its tools are not offered until it works again. While the client manager is open, the server is tried again in a few minutes, or when it is started by hand.',
  );
});

test('two clean exits right after a start are a failure', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  for (const phase of ['idle', 'backoff'] as const) {
    await failureOf(server.callTool('exit', { code: 0 }));
    await stateOf(manager, 'echo', phase);
  }
  expect(server.lifecycle).toMatchObject({ failures: 1 });
});

test('a server whose health check keeps failing after restarts loses its tools, and its status says so', async () => {
  using clock = installFakeClock();
  await using manager = managerOf(
    serverSpec('echo', [], { restart: { maxAttempts: 1 }, health: { method: 'tool_call', tool: 'fail' } }),
  );
  const server = manager.server('echo');
  const told: number[] = [];
  manager.events.on('tools-changed', ({ tools }) => told.push(tools));
  expect(await failureOf(server.start())).toMatchObject({ code: 'server-unresponsive' });
  const parked = stateOf(manager, 'echo', 'parked');
  await clock.advance(240_000);
  await parked;
  expect(server.listTools()).toEqual([]);
  expect(told.at(-1)).toBe(0);
  expect(server.status.lastError).toBe(
    'Server "echo" has started, but its health check fails: the tool "fail" returned an error: failed as asked. Its tools are not offered until it works again. While the client manager is open, the server is tried again in a few minutes, or when it is started by hand.',
  );
});

test('a parked server that is started by hand has its restarts back', async () => {
  await using manager = managerOf(counterSpec(3, { restart: { maxAttempts: 1 } }));
  const server = manager.server('counter');
  await failureOf(server.start());
  await stateOf(manager, 'counter', 'parked');
  await failureOf(server.start());
  await stateOf(manager, 'counter', 'ready');
  expect(textOf(await server.callTool('starts'))).toBe('4');
});

test('a call during the back-off waits and works on the next process', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const pid = Number(textOf(await server.callTool('pid')));
  process.kill(pid, 'SIGKILL');
  await stateOf(manager, 'echo', 'backoff');
  expect(Number(textOf(await server.callTool('pid')))).not.toBe(pid);
  expect(server.status.restarts).toBe(1);
});

test('start during the back-off does not wait for its end', async () => {
  await using manager = managerOf(counterSpec(1));
  const server = manager.server('counter');
  await failureOf(server.start());
  await stateOf(manager, 'counter', 'backoff');
  const started = server.start();
  expect(server.lifecycle).toMatchObject({ phase: 'starting', failures: 0 });
  await started;
});

test('a server that must not be restarted stays down, with the reason', async () => {
  await using manager = managerOf(serverSpec('echo', [], { restart: { onFailure: false } }));
  const server = manager.server('echo');
  const pid = Number(textOf(await server.callTool('pid')));
  process.kill(pid, 'SIGKILL');
  expect(await stateOf(manager, 'echo', 'failed')).toMatchObject({ cause: { code: 'connection-lost' } });
  expect(await failureOf(server.callTool('pid'))).toMatchObject({
    code: 'start-failed',
    message: 'Server "echo" exited (signal SIGKILL). It is not tried again until it is started by hand.',
  });
  expect(isRunning(pid)).toBe(false);
});

test('a server that exits with code 0 is idle, and the next call wakes it', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  await failureOf(server.callTool('exit', { code: 0 }));
  await stateOf(manager, 'echo', 'idle');
  expect(server.status.lastError).toBeUndefined();
  expect(textOf(await server.callTool('echo', { text: 'again' }))).toBe('again');
});

test('a call that comes just after a server has left wakes it', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const left = server.callTool('exit', { code: 0 });
  const next = failureOf(left).then(() => server.callTool('echo', { text: 'again' }));
  expect(textOf(await next)).toBe('again');
});

test('start right after a crash starts the server, and the failure count starts over', async () => {
  await using manager = managerOf(serverSpec('dies-mid-call'));
  const server = manager.server('dies-mid-call');
  await server.start();
  await failureOf(server.callTool('die'));
  await server.start();
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 2, failures: 0 });
});

test('restart replaces the process and clears the failures', async () => {
  await using manager = managerOf(counterSpec(1));
  const server = manager.server('counter');
  await failureOf(server.start());
  await stateOf(manager, 'counter', 'ready');
  expect(server.lifecycle).toMatchObject({ failures: 1 });
  const phases = phasesOf(manager, 'counter');
  await server.restart();
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 0, generation: 3 });
  expect(phases).toEqual(['stopping', 'queued', 'starting spawn', 'starting handshake', 'starting tools', 'ready']);
});

test('restart of a server that does not run starts it', async () => {
  await using manager = managerOf(serverSpec('echo'));
  await manager.server('echo').restart();
  expect(manager.server('echo').state).toBe('running');
});

test('keeps the tools of a crashed server during its restart, and calls wait', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const tools = server.listTools();
  const told: number[] = [];
  manager.events.on('tools-changed', ({ tools: count }) => told.push(count));
  process.kill(server.status.pid as number, 'SIGKILL');
  await stateOf(manager, 'echo', 'backoff');
  expect(tools.length).toBeGreaterThan(0);
  expect(server.listTools()).toBe(tools);
  const { content } = await server.callTool('echo', { text: 'again' });
  expect(content).toEqual([{ type: 'text', text: 'again' }]);
  expect(server.listTools()).toBe(tools);
  expect(told).toEqual([]);
});

test('keeps the tools of an idle server that may wake', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow', [], { autoStart: false }));
  for (const name of ['echo', 'slow']) {
    await manager.server(name).start();
    await manager.server(name).stop();
  }
  expect(manager.server('echo').listTools().length).toBeGreaterThan(0);
  expect(manager.server('slow').listTools()).toEqual([]);
});

test('a start after a stop is no restart; one on request and one after a failure are', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  await server.stop();
  await server.callTool('pid');
  expect(server.status.restarts).toBe(0);
  await server.restart();
  expect(server.status.restarts).toBe(1);
  process.kill(Number(server.status.pid), 'SIGKILL');
  await stateOf(manager, 'echo', 'backoff');
  await server.start();
  expect(server.status.restarts).toBe(2);
});
