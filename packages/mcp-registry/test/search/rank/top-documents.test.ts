import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TopDocuments } from '../../../src/search/rank/keyword-scores.js';

test('the best few are those of a whole sort', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), fc.nat(70), (numbers, limit) => {
      const scores = Float64Array.from(numbers);
      const names = numbers.map((_, docId) => `tool-${(docId * 37) % 101}`);
      const top = new TopDocuments(limit, scores, names);
      for (const docId of numbers.keys()) top.offer(docId);
      const sorted = Array.from(numbers.keys()).sort((left, right) => {
        const difference = (numbers[right] ?? 0) - (numbers[left] ?? 0);
        return difference || ((names[left] ?? '') < (names[right] ?? '') ? -1 : 1);
      });
      expect(Array.from(top.inOrder())).toEqual(sorted.slice(0, limit));
    }),
  );
});
