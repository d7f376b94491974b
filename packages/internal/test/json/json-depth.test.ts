import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeeperThan } from '../../src/json/json-depth.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('counts the levels of objects and arrays', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.nat({ max: 5 }), (value, levels) => {
      expect(isDeeperThan(levels, value)).toBe(depthOf(value) > levels);
    }),
  );
});

test('goes no deeper than the limit', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { deep };
  expect(isDeeperThan(1_000, deep)).toBe(true);
});
