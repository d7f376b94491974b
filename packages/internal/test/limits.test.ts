import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedMap, TokenBucket } from '../src/limits.js';

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

const filled = () => new BoundedMap<string, number>(3).set('a', 1).set('b', 2).set('c', 3);

test('one entry more than the limit drops the oldest', () => {
  expect([...filled().set('d', 4)]).toEqual([
    ['b', 2],
    ['c', 3],
    ['d', 4],
  ]);
});

test('an entry that is set again keeps its age', () => {
  expect([...filled().set('a', 5).set('d', 4).keys()]).toEqual(['b', 'c', 'd']);
});

test('an entry that is renewed is the newest', () => {
  const map = filled().renew('a', 5);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
    ['a', 5],
  ]);
  expect([...map.renew('d', 4).keys()]).toEqual(['c', 'a', 'd']);
});
