import { expect, test } from 'vitest';
import { MAX_WEIGHT, NAME_BIT, readToolWords } from '../../../src/search/index/tool-words.js';

const NOTHING = { title: '', keywords: [], parameters: [], parameterDescriptions: [], description: '' };

test('a word has more weight in the first sentence of a description than after it', () => {
  const { all, name } = readToolWords({
    ...NOTHING,
    name: 'n',
    tool: 'readPages',
    server: 'wiki',
    description: 'Opens one book. Closes a door.',
  });
  const weight = (word: string) => all.get(word)?.weight ?? 0;
  expect(name).toEqual(['read', 'page']);
  expect(weight('book')).toBeGreaterThan(weight('door'));
  expect(all.get('readpage')?.fields).toBe(NAME_BIT);
  expect(all.has('a')).toBe(false);
});

test('the weight of a word is bounded for any number of occurrences', () => {
  const { all } = readToolWords({
    ...NOTHING,
    name: 'page',
    tool: 'page',
    server: 'page',
    title: 'page',
    description: 'page '.repeat(200),
  });
  expect(all.get('page')?.weight).toBeLessThan(MAX_WEIGHT);
});
