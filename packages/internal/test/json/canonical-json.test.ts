import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/json/canonical-json.js';

test('keys stand in the order of their code units, without white space', () => {
  expect(canonicalJson({ b: 1, a: [true, null, 'x'], B: { z: 0, y: -0 } })).toBe(
    '{"B":{"y":0,"z":0},"a":[true,null,"x"],"b":1}',
  );
});

// The samples of RFC 8785, sections 3.2.2 and 3.2.3.
test('numbers, texts and keys are written as RFC 8785 shows', () => {
  expect(canonicalJson([JSON.parse('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001])).toBe(
    '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
  );
  expect(canonicalJson('€$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
  expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
});

test('a key __proto__ is a key like any other, and what is undefined is left out', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"constructor":2}'))).toBe(
    '{"__proto__":{"a":1},"constructor":2}',
  );
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test('no depth and no length is too much', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(canonicalJson(deep)).toHaveLength(200_001);
  expect(canonicalJson(Array.from({ length: 300_000 }, () => 0))).toHaveLength(600_001);
});

test('it is JSON that says the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
