import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followPointer, isDeeperThan, isForbiddenKey, isSameJson, parseJson } from '../../src/json/json-values.js';

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

const root = { $defs: { 'a/b': 1, 'c%d': 2, 'e~f': 3, list: [{ g: 4 }] }, '': 5 };

test.each([
  ['', root],
  ['/', 5],
  ['/$defs/a~1b', 1],
  ['/$defs/c%25d', 2],
  ['/$defs/e~0f', 3],
  ['/$defs/list/0/g', 4],
  // The whole fragment is decoded before it is taken apart.
  ['/%24defs%2Flist/0/g', 4],
])('%j leads to what stands there', (fragment, expected) => {
  expect(followPointer(root, fragment)).toEqual(expected);
});

test.each(['$defs', '/nowhere', '/$defs/list/1', '/$defs/toString', '/constructor', '/$defs/a~1b/c', '/%'])(
  '%j leads nowhere',
  (fragment) => {
    expect(followPointer(root, fragment)).toBeUndefined();
  },
);

test('reads JSON, and gives undefined for any other text', () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(['', '{', 'undefined', "{'a':1}", '1 2'].map(parseJson)).toEqual(Array(5).fill(undefined));
});

test('refuses exactly the keys that change an object when they are assigned', () => {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', '__proto', ''];
  expect(keys.filter(isForbiddenKey)).toEqual(['__proto__', 'constructor', 'prototype']);
});
