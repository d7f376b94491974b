import { expect, test } from 'vitest';
import { firstSentence } from '../../../src/search/answer/first-sentence.js';

test.each([
  ['Shows commits. Newest first.', 'Shows commits.'],
  ['Shows commits', 'Shows commits'],
  ['\n   Reads a\n   file from disk.\n\n   Args: x', 'Reads a file from disk.'],
  ['Returns:\n\nthe weather', 'Returns:'],
  ['Converts units, e.g. miles, i.e. lengths. And more', 'Converts units, e.g. miles, i.e. lengths.'],
  ['Reads v1.2 of it! Now', 'Reads v1.2 of it!'],
  ['查询城市。返回代码。', '查询城市。'],
  ['', ''],
  [' \n ', ''],
])('the first sentence of %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});

test('a long sentence is cut between words, without punctuation at the end', () => {
  expect(firstSentence(`${'word '.repeat(14)}one, ${'x'.repeat(80)}`)).toBe(`${'word '.repeat(14)}one…`);
  expect(firstSentence('x'.repeat(200))).toBe(`${'x'.repeat(80)}…`);
});

test('wide characters count twice, because they cost more tokens', () => {
  expect(firstSentence('查'.repeat(100))).toBe(`${'查'.repeat(40)}…`);
});

test('no cut leaves half a character', () => {
  for (const pad of ['', 'a']) expect(firstSentence(`${pad}${'\u{1d4d0}\n'.repeat(400)}`)).toMatch(/^\P{Surrogate}*$/u);
  expect(firstSentence(`a${' '.repeat(998)}😀`)).toBe('a');
});

test('a text without an end is read in no time', () => {
  expect(firstSentence(' '.repeat(1_000_000))).toBe('');
  expect(firstSentence('a,'.repeat(1_000_000)).length).toBeLessThanOrEqual(81);
});
