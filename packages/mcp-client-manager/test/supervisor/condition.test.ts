import { expect, test } from 'vitest';
import { conditionOf } from '../../src/supervisor/condition.js';
import type { RestingState, ServerState, StartingState } from '../../src/supervisor/next-state.js';
import { offersTools } from '../../src/supervisor/offers-tools.js';

const numbers = { generation: 1, failures: 0 };
const cause = new Error('fell');
const idle: RestingState = { ...numbers, phase: 'idle' };
const closed: RestingState = { ...numbers, phase: 'closed' };
const backoff: RestingState = { ...numbers, phase: 'backoff', delayMs: 250, cause };
const parked: RestingState = { ...numbers, phase: 'parked', cause };
const failed: RestingState = { ...numbers, phase: 'failed', cause };
const starting: StartingState = { ...numbers, phase: 'starting', step: 'spawn', after: 'rest' };
const restarting: StartingState = { ...starting, after: 'failure' };
const ready: ServerState = { ...numbers, phase: 'ready', misses: 0, catalog: 'complete' };
const stopping = (then: RestingState | StartingState): ServerState => ({ ...numbers, phase: 'stopping', then });

test.each<[string, ServerState]>([
  ['stopped', idle],
  ['stopped', closed],
  ['starting', starting],
  ['starting', backoff],
  ['running', ready],
  ['degraded', { ...ready, misses: 1 }],
  ['degraded', { ...ready, catalog: 'partial' }],
  ['degraded', { ...ready, catalog: 'unavailable' }],
  ['stopping', stopping(idle)],
  ['stopping', stopping(closed)],
  ['starting', stopping(starting)],
  ['starting', stopping(backoff)],
  ['failed', stopping(parked)],
  ['failed', parked],
  ['failed', failed],
])('a person is told "%s" of %o', (condition, state) => {
  expect(conditionOf(state)).toBe(condition);
});

test.each<[boolean, ServerState]>([
  [true, ready],
  [true, idle],
  [true, starting],
  [true, stopping(idle)],
  [false, restarting],
  [false, backoff],
  [false, stopping(backoff)],
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
