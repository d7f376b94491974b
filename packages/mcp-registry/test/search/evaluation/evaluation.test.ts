import { describe, expect, test } from 'vitest';
import { openKeywordSearch, QUERIES, TOOLS } from './evaluation-set.js';
import { type Figures, measureSearch, type PoolMode } from './figures.js';

/** In percent: hit@1, recall@5, nDCG@10. A change that makes them better records them anew. */
const RECORDED: Record<PoolMode, Record<string, readonly [hitAt1: number, recallAt5: number, ndcgAt10: number]>> = {
  own: {
    'azure-a': [87.0, 98.1, 93.7],
    'livemcp-agent': [78.5, 93.8, 86.7],
    'livemcp-task': [40.4, 43.8, 42.9],
    'metatool-a': [63.2, 79.6, 73.4],
    macro: [67.2, 78.8, 74.2],
  },
  all: {
    'azure-a': [87.0, 98.1, 93.7],
    'livemcp-agent': [60.0, 80.0, 74.1],
    'livemcp-task': [30.9, 34.6, 33.5],
    'metatool-a': [40.4, 55.5, 50.5],
    macro: [54.6, 67.1, 63.0],
  },
};

/** What the search was built to reach at least, over all suites. */
const AIMS: Record<PoolMode, Partial<Figures>> = {
  own: { hitAt1: 67.1, recallAt5: 78.7, ndcgAt10: 74.1 },
  all: { hitAt1: 54, recallAt5: 66 },
};

const MAX_DROP = 1;

describe.each(['own', 'all'] as const)('asked of the %s tools', (mode) => {
  const measured = measureSearch(TOOLS, QUERIES, mode, openKeywordSearch);

  test.each(Object.entries(RECORDED[mode]))(
    '%s is not found worse than recorded',
    (suite, [hitAt1, recallAt5, ndcgAt10]) => {
      const now = measured.get(suite);
      expect(now?.hitAt1).toBeGreaterThanOrEqual(hitAt1 - MAX_DROP);
      expect(now?.recallAt5).toBeGreaterThanOrEqual(recallAt5 - MAX_DROP);
      expect(now?.ndcgAt10).toBeGreaterThanOrEqual(ndcgAt10 - MAX_DROP);
    },
  );

  test('every suite has recorded figures', () => {
    expect(Object.keys(RECORDED[mode]).toSorted()).toEqual(Array.from(measured.keys()).toSorted());
  });

  test('the average over the suites reaches the aims', () => {
    const { hitAt1 = 0, recallAt5 = 0, ndcgAt10 = 0 } = AIMS[mode];
    const macro = measured.get('macro');
    expect(macro?.hitAt1).toBeGreaterThanOrEqual(hitAt1);
    expect(macro?.recallAt5).toBeGreaterThanOrEqual(recallAt5);
    expect(macro?.ndcgAt10).toBeGreaterThanOrEqual(ndcgAt10);
  });
});
