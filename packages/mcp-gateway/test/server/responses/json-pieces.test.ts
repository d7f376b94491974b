import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallerTurns } from '../../../src/server/caller-turns.js';
import { isLarger, sizeOf } from '../../../src/server/message-sizes.js';
import { encodeInTurns, jsonPieces } from '../../../src/server/responses/json-pieces.js';

const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 });

test('the pieces together equal JSON.stringify', () => {
  fc.assert(
    fc.property(anyJson, fc.integer({ min: 1, max: 40 }), (value, maxChars) => {
      expect(Array.from(jsonPieces(value, { maxChars })).join('')).toBe(JSON.stringify(value));
    }),
  );
});

test.each([
  ['lone surrogates', `${'\ud83d'.repeat(9)}${'\ude00'.repeat(9)}`],
  ['pairs of surrogates', '\u{1f600}'.repeat(20)],
  ['undefined and functions', { a: undefined, b: [undefined, () => 1, 'x'.repeat(30)], c: () => 1 }],
  ['dates', { at: new Date(0), text: 'x'.repeat(30) }],
  ['no entries', { a: {}, b: [], text: 'x'.repeat(30) }],
  ['only left out entries', { inner: { ['x'.repeat(30)]: undefined } }],
])('%s are written like JSON.stringify', (_, value) => {
  for (const maxChars of [1, 2, 3, 7])
    expect(Array.from(jsonPieces(value, { maxChars })).join('')).toBe(JSON.stringify(value));
});

test('no piece of a large text is much larger than the limit', () => {
  const pieces = Array.from(jsonPieces({ content: [{ type: 'text', text: 'x'.repeat(1_000) }] }, { maxChars: 100 }));
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(100);
});

test('writes deep nesting without measuring each level', () => {
  let value: unknown = 'x'.repeat(100);
  for (let depth = 0; depth < 2_000; depth++) value = [value];
  expect(Array.from(jsonPieces(value, { maxChars: 10 })).length).toBeLessThan(50);
});

test('encodes a large text in several turns of the event loop', async () => {
  const turns = new CallerTurns();
  let taken = 0;
  const acquire = turns.acquire.bind(turns);
  turns.acquire = (caller) => {
    taken++;
    return acquire(caller);
  };
  const value = { text: 'x'.repeat(4 * 1024 * 1024) };
  const encoded = await encodeInTurns(value, turns, 'bob');
  expect(Buffer.concat(encoded).toString()).toBe(JSON.stringify(value));
  expect([taken, encoded.length]).toEqual([16, 17]);
});

test('isLarger agrees with sizeOf', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const size = sizeOf(value);
      expect([isLarger(value, size - 1), isLarger(value, size)]).toEqual([true, false]);
    }),
  );
});
