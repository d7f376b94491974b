import { expect, test } from 'vitest';
import { conditionOf, connectionStatusOf } from '../../../src/supervisor/state/condition.js';
import type {
  DownState,
  NextState,
  QueuedState,
  ServerState,
  StartingState,
} from '../../../src/supervisor/state/server-state.js';
import { offersTools } from '../../../src/supervisor/tools/tool-offer.js';

const numbers = { generation: 1, failures: 0, quickExits: 0, signInRetries: 0, earlyExit: undefined };
const cause = new Error('fell');
const idle: DownState = { ...numbers, phase: 'idle' };
const closed: DownState = { ...numbers, phase: 'closed', reason: 'removed' };
const backoff: DownState = { ...numbers, phase: 'backoff', delayMs: 250, cause };
const parked: DownState = { ...numbers, phase: 'parked', delayMs: 300_000, wakesOnDemand: false, cause };
const authRequired: DownState = { ...parked, phase: 'auth-required' };
const disabled: DownState = { ...numbers, phase: 'disabled' };
const failed: DownState = { ...numbers, phase: 'failed', cause };
const starting: StartingState = { ...numbers, phase: 'starting', step: 'spawn', after: 'rest' };
const restarting: StartingState = { ...starting, after: 'fall' };
const triedAgain: StartingState = { ...starting, after: 'failure' };
const queued: QueuedState = { ...numbers, phase: 'queued', after: 'rest' };
const ready: ServerState = { ...numbers, phase: 'ready', misses: 0, catalog: 'complete' };
const stopping = (next: NextState): ServerState => ({ ...numbers, phase: 'stopping', next });
const draining = (next: NextState): ServerState => ({ ...numbers, phase: 'draining', drainMs: 10_000, next });

test.each<[string, ServerState]>([
  ['stopped', idle],
  ['stopped', closed],
  ['stopped', disabled],
  ['starting', queued],
  ['starting', starting],
  ['starting', backoff],
  ['running', ready],
  ['degraded', { ...ready, misses: 1 }],
  ['degraded', { ...ready, catalog: 'partial' }],
  ['degraded', { ...ready, catalog: 'unavailable' }],
  ['stopping', stopping(idle)],
  ['stopping', stopping(closed)],
  ['starting', stopping(queued)],
  ['stopping', draining(idle)],
  ['starting', draining(queued)],
  ['failed', authRequired],
  ['starting', stopping(backoff)],
  ['failed', stopping(parked)],
  ['failed', parked],
  ['failed', failed],
])('the condition is "%s" for %o', (condition, state) => {
  expect(conditionOf(state)).toBe(condition);
});

test.each<[boolean, ServerState]>([
  [true, ready],
  [true, idle],
  [true, starting],
  [true, queued],
  [true, draining(queued)],
  [false, draining(disabled)],
  [false, authRequired],
  [false, disabled],
  [true, stopping(idle)],
  [true, restarting],
  [true, backoff],
  [true, stopping(backoff)],
  [false, triedAgain],
  [false, stopping(parked)],
  [false, parked],
  [false, failed],
  [false, closed],
])('that the tools of a server that may be woken are offered is %s for %o', (offers, state) => {
  expect(offersTools(state, { autoStart: true })).toBe(offers);
});

test('a server that may not be woken offers no tools while it rests', () => {
  expect(offersTools(idle, { autoStart: false })).toBe(false);
  expect(offersTools(ready, { autoStart: false })).toBe(true);
});

test.each<[ReturnType<typeof connectionStatusOf>, ServerState]>([
  ['disconnected', idle],
  ['disconnected', stopping(idle)],
  ['disconnected', disabled],
  ['disconnected', closed],
  ['disconnected', stopping(closed)],
  ['connecting', queued],
  ['connecting', starting],
  ['connecting', backoff],
  ['connected', ready],
  ['connected', { ...ready, misses: 1 }],
  ['error', parked],
  ['error', failed],
  ['error', authRequired],
])('a host that shows one word per connection shows "%s" for %o', (status, state) => {
  expect(connectionStatusOf(state)).toBe(status);
});
