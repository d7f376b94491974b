import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSize } from '../../../src/session/lists/json-size.js';

const unlimited = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY };

test('equals the bytes of the JSON without escapes', () => {
  const unit = fc.constantFrom('a', 'é', '漢', '😀', ' ');
  const text = fc.string({ unit, maxLength: 8 });
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      expect(jsonSize(value, unlimited)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});

test.each([
  [[], 1],
  [{ a: 1 }, 1],
  [[[]], 2],
  [{ a: [{ b: 'text' }] }, 3],
  ['text', 0],
])('counts levels of objects and arrays: %j has %i', (value, levels) => {
  expect(jsonSize(value, { ...unlimited, maxDepth: levels })).toBeTypeOf('number');
  if (levels > 0) expect(jsonSize(value, { ...unlimited, maxDepth: levels - 1 })).toBe('too-deep');
});

test('refuses a value of a million levels', () => {
  let value: unknown = 1;
  for (let level = 0; level < 1_000_000; level += 1) value = [value];
  expect(jsonSize(value, { ...unlimited, maxDepth: 100 })).toBe('too-deep');
  expect(jsonSize(value, { ...unlimited, maxBytes: 1_000 })).toBe('too-large');
});
