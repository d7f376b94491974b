import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { failureOf, isRunning, managerOf, phasesOf, serverSpec, stateOf, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

test('an eager server that is stopped in the turn in which its manager was made does not start', async () => {
  await using manager = managerOf(serverSpec('echo', [], { eager: true }));
  await manager.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(manager.server('echo').lifecycle).toMatchObject({ phase: 'idle', generation: 0 });
});

async function processOf(manager: ReturnType<typeof managerOf>, server: string, tool = 'pid'): Promise<number> {
  return Number(textOf(await manager.callTool(server, tool)));
}

test('stop resolves when the process is gone', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const pid = await processOf(manager, 'echo');
  await manager.server('echo').stop();
  expect(isRunning(pid)).toBe(false);
  expect(manager.server('echo').lifecycle).toMatchObject({ phase: 'idle', failures: 0 });
});

test('a server that ignores the end of its input and SIGTERM is killed', async () => {
  await using manager = managerOf(serverSpec('ignores-sigterm'));
  const pid = await processOf(manager, 'ignores-sigterm');
  await manager.server('ignores-sigterm').stop();
  expect(isRunning(pid)).toBe(false);
});

test('a grandchild that holds the pipes open is gone after stop', async () => {
  await using manager = managerOf(serverSpec('leaves-grandchild'));
  const grandchild = await processOf(manager, 'leaves-grandchild', 'grandchild');
  await manager.server('leaves-grandchild').stop();
  expect(isRunning(grandchild)).toBe(false);
  expect(await findLeaks()).toEqual([]);
});

test('a grandchild that ignores SIGTERM is gone after stop', async () => {
  await using manager = managerOf(serverSpec('leaves-grandchild', ['--stubborn']));
  await processOf(manager, 'leaves-grandchild');
  await manager.server('leaves-grandchild').stop();
  expect(await findLeaks()).toEqual([]);
});

test('a grandchild that left the group does not keep stop waiting for its pipes', async () => {
  await using manager = managerOf(serverSpec('leaves-grandchild', ['--new-session']));
  const grandchild = await processOf(manager, 'leaves-grandchild', 'grandchild');
  await manager.server('leaves-grandchild').stop();
  expect(isRunning(grandchild)).toBe(true); // documented: only a container or the like holds such a process
  process.kill(grandchild, 'SIGKILL');
});

test('processes that a crashed server left are ended before the next start', async () => {
  await using manager = managerOf(serverSpec('leaves-grandchild'));
  const pid = await processOf(manager, 'leaves-grandchild');
  const grandchild = await processOf(manager, 'leaves-grandchild', 'grandchild');
  const states: [string, boolean][] = [];
  manager.events.on('server-state', ({ state }) => states.push([state.phase, isRunning(grandchild)]));
  process.kill(pid, 'SIGKILL');
  await stateOf(manager, 'leaves-grandchild', ({ generation, phase }) => generation === 2 && phase === 'ready');
  expect(states.find(([phase]) => phase === 'backoff')).toEqual(['backoff', false]);
});

test('a server that closes its stdout but keeps running is ended and restarted', async () => {
  await using manager = managerOf(serverSpec('closes-stdout', ['--stubborn']));
  const pid = await processOf(manager, 'closes-stdout');
  const call = failureOf(manager.callTool('closes-stdout', 'close'));
  await stateOf(manager, 'closes-stdout', ({ generation, phase }) => generation === 2 && phase === 'ready');
  expect(await call).toMatchObject({
    code: 'outcome-unknown',
    message:
      'Server "closes-stdout" closed the connection while it worked on "close". The call may or may not have had its effect, so it was not repeated.',
  });
  expect(isRunning(pid)).toBe(false);
});

test('a frozen server is ended', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const pid = await processOf(manager, 'echo');
  process.kill(pid, 'SIGSTOP');
  await manager.server('echo').stop();
  expect(isRunning(pid)).toBe(false);
});

test('stop while the server starts ends the start and rejects the waiting callers', async () => {
  await using manager = managerOf(serverSpec('never-initializes'));
  const server = manager.server('never-initializes');
  const started = failureOf(server.start());
  const called = failureOf(server.callTool('echo'));
  await stateOf(manager, server.name, ({ phase }) => phase === 'starting');
  await server.stop();
  for (const error of [await started, await called]) expect(error).toMatchObject({ code: 'server-stopping' });
  expect(server.lifecycle).toMatchObject({ phase: 'idle', generation: 1, failures: 0 });
});

test('start while the server stops waits for the next process, after the old one', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const before = await processOf(manager, 'echo');
  const phases = phasesOf(manager, 'echo');
  const stopped = server.stop();
  const started = server.start();
  await stopped;
  expect(isRunning(before)).toBe(false);
  await started;
  expect(await processOf(manager, 'echo')).not.toBe(before);
  expect(phases).toEqual([
    'stopping',
    'stopping',
    'queued',
    'starting spawn',
    'starting handshake',
    'starting tools',
    'ready',
  ]);
});

test('start and then stop in one breath ends stopped', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const started = failureOf(server.start());
  await server.stop();
  expect(await started).toMatchObject({ code: 'server-stopping' });
  expect(server.state).toBe('stopped');
});

test('a storm of restarts ends in one process', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  await Promise.all(Array.from({ length: 20 }, () => server.restart()));
  const alive = await findLeaks();
  expect(alive.map(({ pid }) => pid)).toEqual([await processOf(manager, 'echo')]);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 0 });
});

test('a storm of commands ends in the state of the last one', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const all: Promise<unknown>[] = [];
  for (let round = 0; round < 10; round += 1) {
    all.push(server.start(), server.callTool('pid'), server.restart(), server.stop(), server.callTool('pid'));
  }
  all.push(server.stop());
  await Promise.allSettled(all);
  expect(server.state).toBe('stopped');
  expect(await findLeaks()).toEqual([]);
  await server.start();
  expect(await findLeaks()).toHaveLength(1);
});

test('stop of a server that does not run resolves at once and changes nothing', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const phases = phasesOf(manager, 'echo');
  await manager.server('echo').stop();
  await manager.server('echo').stop();
  expect(phases).toEqual([]);
});

test('a call from a listener of the end wakes the server', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const answered = new Promise((resolve, reject) => {
    manager.events.on('server-state', ({ state }) => {
      if (state.phase === 'idle') server.callTool('echo', { text: 'woken' }).then(textOf).then(resolve, reject);
    });
  });
  await server.stop();
  expect(await answered).toBe('woken');
});

test('stop from a listener of the start ends it', async () => {
  await using manager = managerOf(serverSpec('echo', [], { autoStart: false }));
  const server = manager.server('echo');
  const stopped = new Promise<string>((resolve) => {
    manager.events.on('server-state', ({ state }) => {
      if (state.phase === 'ready') void server.stop().then(() => resolve(server.state));
    });
  });
  await server.start();
  expect(await stopped).toBe('stopped');
});

test('start from a listener of the end finds the server started', async () => {
  await using manager = managerOf(serverSpec('echo', [], { autoStart: false }));
  const server = manager.server('echo');
  await server.start();
  const again = new Promise<void>((resolve, reject) => {
    manager.events.on('server-state', ({ state }) => {
      if (state.phase === 'idle') server.start().then(resolve, reject);
    });
  });
  await server.stop();
  await again;
  expect(server.state).toBe('running');
});
