import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from '../../src/limits/token-bucket.js';

function clock() {
  let nowMs = 1_000;
  return { now: () => nowMs, pass: (ms: number) => (nowMs += ms) };
}

test('gives its burst at once, and then at its rate', () => {
  const { now, pass } = clock();
  const bucket = new TokenBucket({ requests: 10, perMs: 1_000, burst: 3 }, now);
  expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
  expect(bucket.waitMs()).toBe(100);
  pass(99);
  expect([bucket.take(), bucket.waitMs()]).toEqual([false, expect.closeTo(1)]);
  pass(1);
  expect([bucket.take(), bucket.isFull]).toEqual([true, false]);
  pass(60_000);
  expect(bucket.isFull).toBe(true);
  expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
});

const rates = fc.record({
  requests: fc.integer({ min: 1, max: 50 }),
  perMs: fc.integer({ min: 1, max: 10_000 }),
  burst: fc.integer({ min: 1, max: 100 }),
});
const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat({ max: 5_000 })), { maxLength: 200 });

test('never gives more than its burst and its rate, and always gives after the wait that it names', () => {
  fc.assert(
    fc.property(rates, steps, (rate, taken) => {
      const { now, pass } = clock();
      const bucket = new TokenBucket(rate, now);
      const start = now();
      let given = 0;
      for (const step of taken) {
        if (step === 'take') {
          pass(Math.ceil(bucket.waitMs()));
          expect(bucket.take()).toBe(true);
          given++;
        } else {
          pass(step);
        }
      }
      expect(given).toBeLessThanOrEqual(rate.burst + ((now() - start) * rate.requests) / rate.perMs + 1e-6);
    }),
  );
});
