import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BreakerInput,
  type BreakerState,
  closedBreaker,
  nextBreaker,
  refusedForMs,
} from '../../src/routing/circuit-breaker.js';

function replay(inputs: readonly BreakerInput[], from: BreakerState = closedBreaker): BreakerState {
  return inputs.reduce(nextBreaker, from);
}

const failures = (count: number, atMs = 0): BreakerInput[] => Array(count).fill({ type: 'failed', atMs });

const anyInput: fc.Arbitrary<BreakerInput> = fc.oneof(
  fc.constant({ type: 'admitted' as const }),
  fc.constant({ type: 'answered' as const }),
  fc.record({ type: fc.constantFrom('failed' as const, 'gave-up' as const), atMs: fc.nat(100_000) }),
);

test('five failures in a row refuse calls for 30 seconds', () => {
  expect(refusedForMs(replay(failures(4)), 0)).toBe(0);
  const open = replay(failures(5, 1_000));
  expect(refusedForMs(open, 1_000)).toBe(30_000);
  expect(refusedForMs(open, 30_999)).toBe(1);
  expect(refusedForMs(open, 31_000)).toBe(0);
});

test('after that one call may try, and others may retry in a second', () => {
  const probing = replay([...failures(5), { type: 'admitted' }]);
  expect(probing).toEqual({ phase: 'probing' });
  expect(refusedForMs(probing, 99_999)).toBe(1_000);
});

test('a probe that fails refuses calls for another 30 seconds', () => {
  const open = replay([...failures(5), { type: 'admitted' }, { type: 'failed', atMs: 40_000 }]);
  expect(refusedForMs(open, 40_000)).toBe(30_000);
});

test('after a probe without an answer, the next call may try at once', () => {
  const open = replay([...failures(5), { type: 'admitted' }, { type: 'gave-up', atMs: 40_000 }]);
  expect(refusedForMs(open, 40_000)).toBe(0);
  expect(replay([{ type: 'admitted' }], open)).toEqual({ phase: 'probing' });
});

test('a failure of a call from before does not make the wait longer', () => {
  expect(replay([...failures(5, 1_000), ...failures(3, 20_000)])).toEqual(replay(failures(5, 1_000)));
});

test('a response closes the breaker from any state', () => {
  fc.assert(
    fc.property(fc.array(anyInput), (before) => {
      expect(replay([...before, { type: 'answered' }])).toEqual(closedBreaker);
    }),
  );
});

test('refuses calls only after a failure, for at most 30 seconds', () => {
  fc.assert(
    fc.property(fc.array(anyInput), fc.nat(100_000), (inputs, nowMs) => {
      const state = replay(inputs);
      const waitMs = refusedForMs(state, nowMs);
      if (!inputs.some(({ type }) => type === 'failed')) expect(waitMs).toBe(0);
      const latestMs = Math.max(nowMs, ...inputs.map((input) => ('atMs' in input ? input.atMs : 0)));
      expect(refusedForMs(state, latestMs)).toBeLessThanOrEqual(30_000);
      expect(waitMs).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('an answer while all is well changes nothing', () => {
  expect(nextBreaker(closedBreaker, { type: 'answered' })).toBe(closedBreaker);
});

test.each([
  [undefined, 30_000],
  [7_000, 7_000],
  [0, 1_000],
  [86_400_000, 300_000],
])('who has no time says for how long, within bounds: %j is %i', (retryAfterMs, forMs) => {
  const failed = { type: 'failed', atMs: 10, retryAfterMs } as const;
  const state = [failed, failed, failed, failed, failed].reduce(nextBreaker, closedBreaker);
  expect(refusedForMs(state, 10)).toBe(forMs);
});
