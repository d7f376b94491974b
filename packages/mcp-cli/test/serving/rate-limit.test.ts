import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLimit, ratesByName } from '../../src/serving/rate-limit.js';

test.each([
  ['review=60/m', { name: 'review', count: 60, perMs: 60_000 }],
  ['web=10/s', { name: 'web', count: 10, perMs: 1_000 }],
  ['a=b=1/h', { name: 'a=b', count: 1, perMs: 3_600_000 }],
])('%s is a valid limit', (text, limit) => expect(parseLimit(text)).toEqual(limit));

test.each([
  '',
  'review',
  'review=',
  'review=60',
  'review=60/d',
  'review=0/s',
  'review=-1/s',
  '=1/s',
  'a=1.5/s',
  'a=1/s ',
])('%j is not a valid limit', (text) => expect(parseLimit(text)).toBeUndefined());

test('a limit for any name is parsed as written', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 999_999_999 }), (name, count) => {
      expect(parseLimit(`${name}=${count}/m`)).toEqual({ name, count, perMs: 60_000 });
    }),
  );
});

test('the last limit for a name applies', () => {
  const limits = ['a=1/s', 'b=2/m', 'a=3/h'].flatMap((text) => parseLimit(text) ?? []);
  expect(ratesByName(limits)).toEqual({ a: { requests: 3, perMs: 3_600_000 }, b: { requests: 2, perMs: 60_000 } });
});
