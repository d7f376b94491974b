import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ClientManager } from '../../src/manager.js';
import type { ServerState } from '../../src/supervisor/state/server-state.js';
import { failureOf, isRunning, managerOf, phasesOf, serverSpec, stateOf, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

/** A call that is under way when this resolves. */
async function callUnderWay(manager: ClientManager, ms: number): Promise<{ call: Promise<unknown> }> {
  const server = manager.server('slow');
  return new Promise((resolve) => {
    const onProgress = (): void => resolve({ call });
    const call: Promise<unknown> = server
      .callTool('wait', { ms, steps: ms / 20 }, { onProgress })
      .then(textOf, (error) => error);
  });
}

test('stop lets the calls that are under way finish', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const phases = phasesOf(manager, 'slow');
  const { call } = await callUnderWay(manager, 400);
  const stopped = manager.server('slow').stop();
  expect(manager.server('slow')).toMatchObject({ state: 'stopping', lifecycle: { phase: 'draining' } });
  expect(await call).toBe('waited 400 ms');
  await stopped;
  expect(phases.slice(-3)).toEqual(['draining', 'stopping', 'idle']);
});

test('restart lets the calls that are under way finish, and those that come meanwhile wait for the next process', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const before = textOf(await manager.callTool('slow', 'pid'));
  const { call } = await callUnderWay(manager, 400);
  const restarted = manager.server('slow').restart();
  const after = manager.callTool('slow', 'pid');
  expect(await call).toBe('waited 400 ms');
  expect(textOf(await after)).not.toBe(before);
  await restarted;
});

test('a call that a server may not wake up for is refused while it finishes the others', async () => {
  await using manager = managerOf(serverSpec('slow', [], { autoStart: false }));
  await manager.server('slow').start();
  const { call } = await callUnderWay(manager, 400);
  const stopped = manager.server('slow').stop();
  expect(await failureOf(manager.callTool('slow', 'pid'))).toMatchObject({ code: 'server-stopping' });
  await Promise.all([call, stopped]);
});

test('a server that dies while it finishes its calls is stopped as it was to be', async () => {
  await using manager = managerOf(serverSpec('slow'));
  await manager.server('slow').start();
  const { call } = await callUnderWay(manager, 60_000);
  const { pid } = manager.server('slow').status;
  const stopped = manager.server('slow').stop();
  process.kill(pid as number, 'SIGKILL');
  await stopped;
  expect(manager.server('slow').lifecycle).toMatchObject({ phase: 'idle', failures: 0 });
  expect(await call).toMatchObject({ code: 'outcome-unknown' });
});

test('a forced stop waits neither for calls nor for the server, also while another stop waits', async () => {
  const stubborn = serverSpec('ignores-sigterm', [], { limits: { shutdownTimeoutMs: 30_000 } });
  await using manager = managerOf(serverSpec('slow'), stubborn, { ...stubborn, name: 'other' });
  const { call } = await callUnderWay(manager, 60_000);
  await Promise.all(['ignores-sigterm', 'other'].map((name) => manager.server(name).start()));
  const pids = manager.status().map(({ pid }) => pid as number);
  const phases = phasesOf(manager, 'slow');
  await manager.server('slow').stop({ force: true });
  expect(phases).toEqual(['stopping', 'idle']);
  expect(await call).toMatchObject({ code: 'outcome-unknown' });
  const usual = manager.server('ignores-sigterm').stop();
  const forced = manager.server('other').stop({ force: true });
  expect(await Promise.race([usual.then(() => 'usual'), forced.then(() => 'forced')])).toBe('forced');
  await Promise.all([usual, manager.server('ignores-sigterm').stop({ force: true })]);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('a misspelt option of a stop is refused', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const misspelt = { forced: true } as object;
  expect(await failureOf(manager.server('echo').stop(misspelt))).toEqual(
    new TypeError('forced is not an option; did you mean force?'),
  );
});

test('close waits for no call', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const states: ServerState['phase'][] = [];
  const { call } = await callUnderWay(manager, 60_000);
  manager.events.on('server-state', ({ state }) => states.push(state.phase));
  const { pid } = manager.server('slow').status;
  const stopped = manager.server('slow').stop();
  await manager.close();
  await stopped;
  expect(states).toEqual(['draining', 'stopping', 'closed']);
  expect(isRunning(pid as number)).toBe(false);
  expect(await call).toMatchObject({ code: 'outcome-unknown', cause: { code: 'server-stopping' } });
});

test('stops an unused server, and the next call starts it', async () => {
  await using manager = managerOf(serverSpec('echo', [], { limits: { idleStopMs: 1_000 } }));
  const before = textOf(await manager.callTool('echo', 'pid'));
  await stateOf(manager, 'echo', 'idle');
  expect(manager.server('echo').listTools().length).toBeGreaterThan(0);
  expect(textOf(await manager.callTool('echo', 'pid'))).not.toBe(before);
  expect(manager.server('echo').lifecycle).toMatchObject({ failures: 0 });
});

test('a call that takes longer than a server may be unused keeps it', async () => {
  await using manager = managerOf(serverSpec('slow', [], { limits: { idleStopMs: 1_000 } }));
  const phases = phasesOf(manager, 'slow');
  expect(textOf(await manager.callTool('slow', 'wait', { ms: 2_500 }))).toBe('waited 2500 ms');
  expect(phases.at(-1)).toBe('ready');
  await stateOf(manager, 'slow', 'idle');
});
