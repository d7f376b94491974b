import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Postings } from '../../../src/search/index/postings.js';

test('lists hold what was added and not left, however they grew and shrank', () => {
  const change = fc.record({ word: fc.nat(4), place: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const postings = new Postings();
      const lists = new Map<number, Set<number>>();
      for (const { word, place } of changes) {
        const list = lists.get(word) ?? new Set();
        lists.set(word, list);
        if (list.has(place)) {
          list.delete(place);
          postings.leave(word, (each) => !list.has(each));
        } else if (!placesOf(postings, word).includes(place)) {
          list.add(place);
          postings.add(word, place, 1, 1);
        }
      }
      for (const [word, list] of lists) {
        expect(postings.liveOf(word)).toBe(list.size);
        expect(placesOf(postings, word)).toEqual(expect.arrayContaining(Array.from(list)));
        expect(postings.lengthOf(word)).toBeLessThanOrEqual(2 * list.size);
      }
    }),
  );
});

test('a word that is worth next to nothing is still there', () => {
  const postings = new Postings();
  postings.add(0, 7, 1e-9, 1);
  expect(postings.impacts[postings.startOf(0)]).toBe(1);
});

function placesOf(postings: Postings, word: number): number[] {
  const start = postings.startOf(word);
  return Array.from(postings.places.subarray(start, start + postings.lengthOf(word)));
}
