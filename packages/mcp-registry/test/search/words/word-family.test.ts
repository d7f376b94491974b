import { expect, test } from 'vitest';
import { familyOf } from '../../../src/search/words/word-family.js';

test.each([
  'translate translation translator translating',
  'create creation creator creating created',
  'summarize summary summarization summarizer',
  'run running',
  'plan planning planned planner',
  'analyze analysis analytic analyst',
  'manage management manager managing',
  'recommend recommendation recommending',
])('%s are of one family', (words) => {
  expect(new Set(words.split(' ').map(familyOf)).size).toBe(1);
});

test.each(['general generate', 'station state', 'story store', 'read ready', 'order ore'])('%s are not', (words) => {
  const [left = '', right = ''] = words.split(' ');
  expect(familyOf(left)).not.toBe(familyOf(right));
});
