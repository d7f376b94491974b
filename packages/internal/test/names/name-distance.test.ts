import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countChanges } from '../../src/names/name-distance.js';

/** The whole table, without a band and without a limit. */
function allChanges(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const changes = [at(row - 1, column - 1) + (isSame ? 0 : 1), at(row - 1, column) + 1, at(row, column - 1) + 1];
      if (isSwap) changes.push(at(row - 2, column - 2) + 1);
      (rows[row] as number[])[column] = Math.min(...changes);
    }
  }
  return at(left.length, right.length);
}

test('letters are changed, added, removed or swapped, up to the limit', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  fc.assert(
    fc.property(word, word, fc.nat({ max: 6 }), (left, right, most) => {
      expect(countChanges(left, right, most)).toBe(Math.min(allChanges(left, right), most + 1));
    }),
  );
});
