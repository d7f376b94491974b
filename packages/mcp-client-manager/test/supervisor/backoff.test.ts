import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffDelayMs } from '../../src/supervisor/backoff.js';

const random = fc.double({ min: 0, max: 1, noNaN: true });

test('the wait is between half and all of a time that doubles up to a minute', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), random, (failures, chance) => {
      const fullMs = Math.min(250 * 2 ** (failures - 1), 60_000);
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
  expect([1, 2, 3, 4, 9, 10].map((failures) => backoffDelayMs(failures, 1))).toEqual([
    250, 500, 1_000, 2_000, 60_000, 60_000,
  ]);
});
