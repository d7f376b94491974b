import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { MachineSleep } from '../../../src/supervisor/health/machine-sleep.js';
import { SleepDetector } from '../../../src/supervisor/health/sleep-detector.js';
import { managerOf, serverSpec, stateOf } from '../../helpers/servers.js';

afterEach(async () => {
  vi.useRealTimers();
  await expectNoLeaks();
});

const hourMs = 3_600_000;

test('a wall clock that runs ahead of the other tells of a sleep, once', () => {
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

test('a timer that fires far too late tells of a sleep, also where both clocks go on meanwhile', () => {
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

test('on a system whose clocks go on during a sleep, what is watched is asked as soon as the host is awake', () => {
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
  expect({ wakes, isJustAwake: sleep.isJustAwake }).toEqual({ wakes: 0, isJustAwake: false });
  sleptMs.all = hourMs;
  vi.advanceTimersByTime(10_000);
  expect({ wakes, isJustAwake: sleep.isJustAwake }).toEqual({ wakes: 1, isJustAwake: true });
  vi.advanceTimersByTime(61_000);
  expect({ wakes, isJustAwake: sleep.isJustAwake }).toEqual({ wakes: 1, isJustAwake: false });
  ignore();
  expect(vi.getTimerCount()).toBe(0);
});

test('a server that breaks when the host wakes from sleep is started again without a failure (SUP-33)', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using manager = managerOf(serverSpec('echo', [], { maxRestartAttempts: 1 }));
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
  await using manager = managerOf(serverSpec('echo', [], { maxRestartAttempts: 1 }));
  const server = manager.server('echo');
  await server.start();
  process.kill(server.status.pid as number, 'SIGKILL');
  await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
  process.kill(server.status.pid as number, 'SIGKILL');
  await stateOf(manager, 'echo', 'parked');
});

test('the servers are asked whether they live as soon as the host is awake (SUP-33)', async () => {
  await using manager = managerOf(serverSpec('echo'));
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  await manager.server('echo').start();
  const checked = new Promise((resolve) => manager.events.on('server-health', resolve));
  vi.setSystemTime(Date.now() + hourMs);
  vi.advanceTimersByTime(10_000);
  expect(await checked).toEqual({ server: 'echo', health: 'healthy' });
});
