import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameJson } from '../../src/json/same-json.js';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, shuffled(item)]),
  );
};

describe('isSameJson', () => {
  test('the order of keys says nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isSameJson(value, shuffled(value))).toBe(true);
      }),
    );
  });

  test('two values are the same exactly if their JSON with sorted keys is', () => {
    const sorted = (value: unknown) =>
      JSON.stringify(value, (_, item) =>
        typeof item === 'object' && item !== null && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1)))
          : item,
      );
    const small = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(isSameJson(one, other)).toBe(sorted(one) === sorted(other));
      }),
    );
  });

  test.each([
    [{ a: 1 }, { b: 1 }],
    [{}, []],
    [{ toString: 1 }, {}],
    [{ a: undefined }, { b: undefined }],
  ])('%j and %j are not the same', (one, other) => {
    expect(isSameJson(one, other)).toBe(false);
  });

  test('holes, members that are undefined and objects with a toJSON are the same as nothing else', () => {
    const unlike = [
      {},
      [],
      [1],
      [1, 2],
      Object.assign(new Array<number>(2), { 1: 2 }),
      { a: 1 },
      { b: 1 },
      { a: undefined },
      { a: 1, b: 2 },
      [undefined],
      new Date(0),
      new Date(1),
    ];
    for (const one of unlike) expect(unlike.filter((other) => isSameJson(one, other))).toEqual([one]);
  });
});
