import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownText, shownWord } from '../../src/consent/shown-word.js';

test.each([
  ['server.js', 'server.js'],
  ['--path=/a/b', '--path=/a/b'],
  ['two words', '"two words"'],
  ['', '""'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\\b', '"a\\\\b"'],
  ['$(id); rm -rf /', '"$(id); rm -rf /"'],
  ['\u001b[8mhidden', '"\\u{1b}[8mhidden"'],
  ['line\nbreak', '"line\\nbreak"'],
  ['a\ttab', '"a\\ttab"'],
  ['a\rreturn', '"a\\rreturn"'],
  ['x'.repeat(4_000), 'x'.repeat(4_000)],
  ['right\u202eleft', '"right\\u{202e}left"'],
  ['zero\u200bwidth', '"zero\\u{200b}width"'],
  ['tag\u{e0041}', '"tag\\u{e0041}"'],
  ['no\u00a0break', '"no\\u{a0}break"'],
  ['variation\ufe0f', '"variation\\u{fe0f}"'],
  ['größe', '"größe"'],
])('%j is shown as %s', (word, shown) => {
  expect(shownWord(word)).toBe(shown);
});

test('no word brings a character that a terminal obeys or does not show', () => {
  const word = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(word, (text) => !/(?! )[\p{C}\p{Z}]/u.test(shownWord(text))),
    { numRuns: 2_000 },
  );
});

test('two words are never shown alike', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', 'n', '\n', 'u', '{', '1', 'b', '}', '\u001b') });
  fc.assert(
    fc.property(word, word, (one, other) => one === other || shownWord(one) !== shownWord(other)),
    { numRuns: 5_000 },
  );
});

test('a word of any length is shown whole', () => {
  const word = `start${'x'.repeat(1_000_000)}end`;
  expect(shownWord(word)).toBe(word);
});

test('blanks that would fill a row are written out, fewer are blanks', () => {
  expect(shownWord(`a${' '.repeat(23)}b`)).toBe(`"a${' '.repeat(23)}b"`);
  expect(shownWord(`a${' '.repeat(24)}b`)).toBe(`"a${'\\u{20}'.repeat(24)}b"`);
});

test('text that is quoted already keeps its quotes', () => {
  expect(shownText('{"a":"b\u202e"}')).toBe('{"a":"b\\u{202e}"}');
});
