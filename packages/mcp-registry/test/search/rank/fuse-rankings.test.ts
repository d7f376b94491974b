import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FUSED_DEPTH, fuseRankings } from '../../../src/search/rank/ranker-panel.js';

const order = (byWords: readonly string[], ...lists: readonly string[][]) =>
  fuseRankings(
    byWords,
    lists.map((names) => ({ names, weight: 1 })),
  ).map(({ name }) => name);

describe('fused rankings', () => {
  test('put first what several lists have first', () => {
    expect(order(['a', 'b', 'c'], ['b', 'a', 'd'])).toEqual(['a', 'b', 'c', 'd']);
    expect(order(['a', 'b', 'c'], ['c', 'b'])).toEqual(['c', 'b', 'a']);
  });

  test('are those of the words where there are no others', () => {
    expect(order(['b', 'a', 'c'])).toEqual(['b', 'a', 'c']);
  });

  test('count a list by its weight', () => {
    const fused = fuseRankings(['a', 'b'], [{ names: ['b', 'a'], weight: 10 }]);
    expect(fused.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(fused[0]?.score).toBeCloseTo(10 + 61 / 62);
  });

  test('have each name once, of both lists', () => {
    const names = fc.uniqueArray(fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(names, names, names, (byWords, one, other) => {
        const fused = order(byWords, one, other);
        expect(fused.toSorted()).toEqual(Array.from(new Set([...byWords, ...one, ...other])).toSorted());
      }),
    );
  });

  test('begin the same however much more of the order by words is known, so that pages follow one another', () => {
    const names = fc.uniqueArray(fc.nat({ max: 2_000 }).map(String), { minLength: FUSED_DEPTH, maxLength: 400 });
    const ranking = fc.record({
      names: fc.uniqueArray(fc.nat({ max: 2_000 }).map(String), { maxLength: 100 }),
      weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
    });
    fc.assert(
      fc.property(names, fc.array(ranking, { maxLength: 3 }), fc.nat({ max: 200 }), (byWords, rankings, more) => {
        const depth = Math.min(byWords.length, FUSED_DEPTH + more);
        const part = fuseRankings(byWords.slice(0, depth), rankings);
        const whole = fuseRankings(byWords, rankings);
        expect(whole.slice(0, depth)).toEqual(part.slice(0, depth));
      }),
      { numRuns: 50 },
    );
  });
});
