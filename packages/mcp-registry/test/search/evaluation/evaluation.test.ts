import { describe, expect, test } from 'vitest';
import { openKeywordSearch, QUERIES, TOOLS } from './evaluation-set.js';
import { type Figures, measureSearch, type PoolMode } from './figures.js';

/** In percent: hit@1, recall@5, nDCG@10. A change that makes them better records them anew. */
const RECORDED: Record<PoolMode, Record<string, readonly [hitAt1: number, recallAt5: number, ndcgAt10: number]>> = {
  own: {
    'azure-a': [87.6, 98.1, 94.0],
    'livemcp-agent': [78.5, 93.8, 86.8],
    'livemcp-task': [40.4, 43.3, 42.3],
    'metatool-a': [63.2, 79.3, 73.7],
    macro: [67.4, 78.7, 74.2],
  },
  all: {
    'azure-a': [87.6, 98.1, 94.0],
    'livemcp-agent': [60.0, 81.5, 74.4],
    'livemcp-task': [31.9, 34.6, 33.6],
    'metatool-a': [40.9, 55.8, 50.9],
    macro: [55.1, 67.5, 63.2],
  },
};

/** What the search was built to reach at least, over all suites. */
const AIMS: Record<PoolMode, Partial<Figures>> = {
  own: { hitAt1: 67, recallAt5: 78, ndcgAt10: 73.5 },
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
