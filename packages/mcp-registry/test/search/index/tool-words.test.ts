import { expect, test } from 'vitest';
import { MAX_WORTH, NAME_BIT, readToolWords } from '../../../src/search/index/tool-words.js';

const NOTHING = { title: '', keywords: [], parameters: [], parameterDescriptions: [], description: '' };

test('a word is worth more in the first sentence of a description than in the rest', () => {
  const { all, name } = readToolWords({
    ...NOTHING,
    name: 'n',
    tool: 'readPages',
    server: 'wiki',
    description: 'Opens one book. Closes a door.',
  });
  const worth = (word: string) => all.get(word)?.worth ?? 0;
  expect(name).toEqual(['read', 'page']);
  expect(worth('book')).toBeGreaterThan(worth('door'));
  expect(all.get('readpage')?.fields).toBe(NAME_BIT);
  expect(all.has('a')).toBe(false);
});

test('no word is worth more than the most, however often it stands there', () => {
  const { all } = readToolWords({
    ...NOTHING,
    name: 'page',
    tool: 'page',
    server: 'page',
    title: 'page',
    description: 'page '.repeat(200),
  });
  expect(all.get('page')?.worth).toBeLessThan(MAX_WORTH);
});
