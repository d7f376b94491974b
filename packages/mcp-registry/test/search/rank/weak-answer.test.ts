import { expect, test } from 'vitest';
import { KeywordIndex } from '../../../src/search/index/keyword-index.js';
import type { SearchDocument } from '../../../src/search/index/search-document.js';

const SUBJECTS = 'invoice repository branch calendar weather route mailbox ticket dashboard secret'.split(' ');

function indexOf(count: number): KeywordIndex {
  const index = new KeywordIndex();
  for (let at = 0; at < count; at++) {
    const subject = SUBJECTS[at] ?? `thing_${at}`;
    const empty = { title: '', keywords: [], parameters: [], parameterDescriptions: [] };
    const document: SearchDocument = {
      ...empty,
      name: `t${at}`,
      tool: `get_${subject}`,
      server: 'office',
      description: `Gets one ${subject}. The answer has its owner.`,
    };
    index.add(document);
  }
  return index;
}

test.each([1, 10, 1_000])('among %i tools a query with a match is not weak, and one without is', (count) => {
  const index = indexOf(count);
  const weak = (query: string) => index.rank(query, { limit: 1 }).isWeak;
  expect(weak('get the invoice')).toBe(false);
  expect(weak('please show me the invoices of last month')).toBe(false);
  expect(weak('who is the owner of the blue submarine near the volcano')).toBe(true);
  expect(weak('get me a recipe for pancakes with maple syrup')).toBe(true);
});

test('an empty result is not weak', () => {
  expect(indexOf(0).rank('get the invoice', { limit: 1 })).toMatchObject({ isWeak: false, missing: [] });
});
