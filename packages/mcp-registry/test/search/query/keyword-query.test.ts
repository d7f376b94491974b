import { expect, test } from 'vitest';
import { literalsOf, readQuery } from '../../../src/search/query/keyword-query.js';

const weightsOf = (query: string) => {
  return Object.fromEntries(readQuery(query).terms.map(({ word, weight }) => [word, weight]));
};

test('stop words have almost no weight, unless the query has no other words', () => {
  expect(weightsOf('the page')).toMatchObject({ page: 1, the: 0.05 });
  expect(weightsOf('about it')).toMatchObject({ about: 1, it: 1 });
});

test('everyday words, numbers, values and parts of a joined word count less', () => {
  expect(weightsOf('great page 12')).toMatchObject({ great: 0.5, page: 1, 12: 0.3 });
  expect(weightsOf('page <page-owner>')).toMatchObject({ owner: 0.5 });
  expect(weightsOf('GitHub')).toMatchObject({ git: 0.5, hub: 0.5, github: 1 });
});

test('adjacent words are also searched as one word and by their initials', () => {
  expect(weightsOf('virtual machine')).toMatchObject({ virtualmachine: 0.7, vm: 0.5 });
});

test('a repeated word has a slightly higher weight', () => {
  expect(weightsOf('page page').page).toBeGreaterThan(1);
});

test('the action is one of the first words that mean something', () => {
  expect(readQuery('please remove the page').action).toBe('delete');
  expect(readQuery('weather in Paris, Rome and Oslo, then delete it').action).toBeUndefined();
});

test('a query of any length is a bounded number of terms', () => {
  const words = Array.from({ length: 10_000 }, (_, at) => `w${at.toString(36)}x`).join(' ');
  expect(readQuery(words).terms.length).toBeLessThanOrEqual(192);
});

test.each([
  ['open <file-name> now', ['<file-name>']],
  ['find "two words" and \'one\'', ['"two words"', "'one'"]],
  ["the users' pages don't open, they're gone", []],
  ['get https://example.com/a?b=c please', ['https://example.com/a?b=c']],
  ['read /etc/app/config.json', ['/etc/app/config.json']],
  ['either/or', []],
  ['job 123e4567-e89b-12d3-a456-426614174000', ['123e4567-e89b-12d3-a456-426614174000']],
])('the values in %s', (text, values) => {
  expect(literalsOf(text)).toEqual(values);
});
