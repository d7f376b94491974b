import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerState } from '../../../src/supervisor/state/server-state.js';
import { StateTimers } from '../../../src/supervisor/state/state-timers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const numbers = { generation: 4, failures: 1, quickExits: 0, signInRetries: 0, earlyExit: undefined };
const parked = { ...numbers, phase: 'parked', delayMs: 300_000, wakesOnDemand: false, cause: 'exit' } as const;
const states: Record<string, ServerState> = {
  backoff: { ...numbers, phase: 'backoff', delayMs: 700, cause: 'exit' },
  parked,
  'auth-required': { ...parked, phase: 'auth-required' },
  ready: { ...numbers, phase: 'ready', misses: 0, catalog: 'complete' },
  draining: { ...numbers, phase: 'draining', drainMs: 10_000, next: { ...numbers, phase: 'idle' } },
  'ready, without failures': { ...numbers, failures: 0, phase: 'ready', misses: 0, catalog: 'complete' },
  idle: { ...numbers, phase: 'idle' },
};

function timersWithLog(): { timers: StateTimers; reports: string[] } {
  const reports: string[] = [];
  const begin = performance.now();
  const timers = new StateTimers(({ type }, generation) =>
    reports.push(`${type} of ${generation} after ${Math.round(performance.now() - begin)}`),
  );
  return { timers, reports };
}

test.each([
  ['backoff', ['delay-over of 4 after 700']],
  ['parked', ['retry-allowed of 4 after 30000', 'delay-over of 4 after 300000']],
  ['auth-required', ['retry-allowed of 4 after 30000', 'delay-over of 4 after 300000']],
  [
    'ready',
    ['steady of 4 after 20000', 'steady of 4 after 40000', 'steady of 4 after 60000', 'settled of 4 after 120000'],
  ],
  ['ready, without failures', []],
  ['draining', ['drained of 4 after 10000']],
  ['idle', []],
])('what happens to a server that stays %s', (phase, expected) => {
  const { timers, reports } = timersWithLog();
  timers.enter(states[phase] as ServerState);
  vi.advanceTimersByTime(24 * 3_600_000);
  expect(reports).toEqual(expected);
});

test('another phase ends the timers of the one before', () => {
  const { timers, reports } = timersWithLog();
  timers.enter(states.parked as ServerState);
  timers.enter(states.idle as ServerState);
  expect(vi.getTimerCount()).toBe(0);
  expect(reports).toEqual([]);
});

test('the time to the next attempt is known while there is one to come', () => {
  const { timers } = timersWithLog();
  timers.enter(states.parked as ServerState);
  vi.advanceTimersByTime(100_000);
  expect(timers.retryInMs).toBe(200_000);
  timers.enter(states.ready as ServerState);
  expect(timers.retryInMs).toBeUndefined();
});
