import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Postings } from '../../../src/search/index/postings.js';

test('a list contains the added documents that were not removed', () => {
  const change = fc.record({ word: fc.nat(4), docId: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const postings = new Postings();
      const lists = new Map<number, Set<number>>();
      for (const { word, docId } of changes) {
        const list = lists.get(word) ?? new Set();
        lists.set(word, list);
        if (list.has(docId)) {
          list.delete(docId);
          postings.remove(word, (each) => !list.has(each));
        } else if (!docIdsOf(postings, word).includes(docId)) {
          list.add(docId);
          postings.add(word, docId, 1, 1);
        }
      }
      for (const [word, list] of lists) {
        expect(postings.documentCountOf(word)).toBe(list.size);
        expect(docIdsOf(postings, word)).toEqual(expect.arrayContaining(Array.from(list)));
        expect(postings.lengthOf(word)).toBeLessThanOrEqual(2 * list.size);
      }
    }),
  );
});

test('a word with almost no weight keeps its posting', () => {
  const postings = new Postings();
  postings.add(0, 7, 1e-9, 1);
  expect(postings.impacts[postings.startOf(0)]).toBe(1);
});

function docIdsOf(postings: Postings, word: number): number[] {
  const start = postings.startOf(word);
  return Array.from(postings.docIds.subarray(start, start + postings.lengthOf(word)));
}
