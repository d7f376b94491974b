import { describe, expect, test } from 'vitest';
import { judgeQueries, shareOf } from './impossible.js';

const MODEL = 'livemcp-agent';
const own = judgeQueries('own');
const found = own.filter(({ place }) => place === 0);
const otherField = judgeQueries('otherField');
const fieldGone = judgeQueries('fieldGone');

describe('for queries that a model writes', () => {
  test('at most 2 % of the results with a right first match are weak', () => {
    expect(shareOf(found, MODEL)).toBeLessThanOrEqual(2);
  });

  test('at least 80 % are weak without the servers of the field', () => {
    expect(shareOf(fieldGone, MODEL)).toBeGreaterThanOrEqual(80);
  });

  test('at least 93 % are weak among tools of another field', () => {
    expect(shareOf(otherField, MODEL)).toBeGreaterThanOrEqual(93);
  });
});

test.each([
  ['azure-a', 97],
  ['livemcp-task', 92],
  ['metatool-a', 96],
])('for %s, at least %i %% are weak among tools of another field', (suite, percent) => {
  expect(shareOf(otherField, suite)).toBeGreaterThanOrEqual(percent);
});

test('for prompts of people who name what they want, at most 1 % of the right first matches are weak', () => {
  expect(shareOf(found, 'azure-a')).toBeLessThanOrEqual(1);
});

test('for whole tasks, at most 27 % of the right first matches are weak', () => {
  expect(shareOf(found, 'livemcp-task')).toBeLessThanOrEqual(27);
});

test('each query without its field has lost all right tools', () => {
  expect(fieldGone.filter(({ place }) => place >= 0)).toEqual([]);
});
