import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  backoffDelayMs,
  parkedProbeDelayMs,
  restartRules,
  signInDelayMs,
} from '../../../src/supervisor/state/backoff.js';

const random = fc.double({ min: 0, max: 1, noNaN: true });

test('the wait is between half and all of a time that doubles, and is a minute from the fifth failure on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), random, (failures, chance) => {
      const fullMs = failures < 5 ? 250 * 2 ** (failures - 1) : 60_000;
      const delayMs = backoffDelayMs(failures, chance);
      expect(delayMs).toBeGreaterThanOrEqual(fullMs / 2);
      expect(delayMs).toBeLessThanOrEqual(fullMs);
      expect(Number.isInteger(delayMs)).toBe(true);
    }),
  );
});

test('with the same luck, a later failure never waits less', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), random, (failures, chance) => {
      expect(backoffDelayMs(failures + 1, chance)).toBeGreaterThanOrEqual(backoffDelayMs(failures, chance));
    }),
  );
});

test('the first waits are these', () => {
  expect([1, 2, 3, 4, 5, 10].map((failures) => backoffDelayMs(failures, 1))).toEqual([
    250, 500, 1_000, 2_000, 60_000, 60_000,
  ]);
});

test('no more than six starts fit into the first minute of a crash loop, for any random delays', () => {
  let atMs = 0;
  let starts = 0;
  for (let failures = 1; atMs < 60_000; failures += 1) {
    starts += 1;
    atMs += backoffDelayMs(failures, 0);
  }
  expect(starts).toBeLessThanOrEqual(6);
});

test('a parked server is tried again after five minutes, give or take one', () => {
  expect([0, 0.5, 1].map(parkedProbeDelayMs)).toEqual([240_000, 300_000, 360_000]);
});

test('a server that wants a sign-in is tried again after five minutes at first, and once a day in the end', () => {
  expect([1, 2, 3, 9, 10, 1_000].map((retries) => signInDelayMs(retries, 1) / 60_000)).toEqual([
    5, 10, 20, 1_280, 1_440, 1_440,
  ]);
});

test('the rules of a spec wait as these functions say', () => {
  const policy = { restart: { onFailure: true, maxAttempts: 4 }, eager: false };
  const { delayMs, parkedDelayMs, signInDelayMs: signIn, ...rules } = restartRules(policy);
  expect(rules).toEqual({ onFailure: true, maxAttempts: 4, eager: false, maxHealthMisses: 3 });
  for (const [waitMs, mostMs] of [
    [delayMs(2), 500],
    [parkedDelayMs(), 360_000],
    [signIn(1), 300_000],
  ] as const) {
    expect(waitMs).toBeGreaterThanOrEqual(mostMs / 2);
    expect(waitMs).toBeLessThanOrEqual(mostMs);
  }
});
