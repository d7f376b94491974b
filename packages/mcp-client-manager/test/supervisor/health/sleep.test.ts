import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { MachineSleep, SleepDetector } from '../../../src/supervisor/health/machine-sleep.js';
import { managerOf, serverSpec, stateOf } from '../../helpers/servers.js';

afterEach(async () => {
  vi.useRealTimers();
  await expectNoLeaks();
});

const hourMs = 3_600_000;

test('reports a sleep once when the wall clock runs ahead', () => {
  const now = { wall: 1_000_000, monotonic: 500 };
  const detector = new SleepDetector({ wallMs: () => now.wall, monotonicMs: () => now.monotonic });
  now.wall += hourMs;
  now.monotonic += hourMs;
  expect(detector.hasSlept()).toBe(false);
  now.wall += 31_000;
  expect(detector.hasSlept()).toBe(true);
  expect(detector.hasSlept()).toBe(false);
});

test('clocks that drift, and a wall clock that is set back, mean nothing', () => {
  const now = { wall: 1_000_000, monotonic: 500 };
  const detector = new SleepDetector({ wallMs: () => now.wall, monotonicMs: () => now.monotonic });
  now.wall += 29_000;
  expect(detector.hasSlept()).toBe(false);
  now.wall -= hourMs;
  expect(detector.hasSlept()).toBe(false);
});

test('reports a sleep when a timer fires far too late, even if both clocks include it', () => {
  const now = { wall: 1_000_000, monotonic: 500 };
  const detector = new SleepDetector({ wallMs: () => now.wall, monotonicMs: () => now.monotonic });
  const pass = (ms: number): void => {
    now.wall += ms;
    now.monotonic += ms;
  };
  pass(hourMs);
  expect(detector.hasSlept()).toBe(false);
  detector.expectTimer(10_000);
  pass(39_000);
  expect(detector.hasSlept()).toBe(false);
  pass(hourMs);
  expect(detector.hasSlept()).toBe(true);
  expect(detector.hasSlept()).toBe(false);
  detector.expectTimer(10_000);
  detector.expectNone();
  pass(hourMs);
  expect(detector.hasSlept()).toBe(false);
});

test('checks servers right after a sleep where both clocks include it', () => {
  vi.useFakeTimers();
  const sleptMs = { all: 0 };
  const sleep = new MachineSleep({
    wallMs: () => Date.now() + sleptMs.all,
    monotonicMs: () => performance.now() + sleptMs.all,
  });
  let wakes = 0;
  const ignore = sleep.onWake(() => {
    wakes += 1;
  });
  vi.advanceTimersByTime(60_000);
  expect({ wakes, isInGrace: sleep.isInGrace }).toEqual({ wakes: 0, isInGrace: false });
  sleptMs.all = hourMs;
  vi.advanceTimersByTime(10_000);
  expect({ wakes, isInGrace: sleep.isInGrace }).toEqual({ wakes: 1, isInGrace: true });
  vi.advanceTimersByTime(61_000);
  expect({ wakes, isInGrace: sleep.isInGrace }).toEqual({ wakes: 1, isInGrace: false });
  ignore();
  expect(vi.getTimerCount()).toBe(0);
});

test('restarts a server that breaks after a sleep of the machine, without a failure', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using manager = managerOf(serverSpec('echo', [], { restart: { maxAttempts: 1 } }));
  const server = manager.server('echo');
  await server.start();
  vi.setSystemTime(Date.now() + hourMs);
  for (let round = 1; round <= 3; round += 1) {
    process.kill(server.status.pid as number, 'SIGKILL');
    await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === round + 1);
  }
  expect(server.lifecycle).toMatchObject({ failures: 0 });
});

test('without a sleep the same breaks count', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using manager = managerOf(serverSpec('echo', [], { restart: { maxAttempts: 1 } }));
  const server = manager.server('echo');
  await server.start();
  process.kill(server.status.pid as number, 'SIGKILL');
  await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
  process.kill(server.status.pid as number, 'SIGKILL');
  await stateOf(manager, 'echo', 'parked');
});

test('checks the servers right after a sleep of the machine', async () => {
  await using manager = managerOf(serverSpec('echo', [], { health: { method: 'ping', timeoutMs: 1_000 } }));
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  await manager.server('echo').start();
  process.kill(manager.server('echo').status.pid as number, 'SIGSTOP');
  const checked = new Promise((resolve) => manager.events.on('server-health', resolve));
  vi.setSystemTime(Date.now() + hourMs);
  vi.advanceTimersByTime(10_000);
  expect(await checked).toMatchObject({ server: 'echo', health: 'unhealthy', reason: 'no answer within 1000 ms' });
});
