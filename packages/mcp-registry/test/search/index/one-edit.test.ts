import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOneEditApart } from '../../../src/search/index/vocabulary.js';

test.each([
  ['search', 'serch', true],
  ['search', 'seaarch', true],
  ['search', 'seatch', true],
  ['search', 'saerch', true],
  ['search', 'hearch', true],
  ['search', 'searchs', true],
  ['search', 'search', false],
  ['search', 'sarech', false],
  ['search', 'srch', false],
  ['search', 'seaxxch', false],
  ['aab', 'aba', true],
  ['', 'a', true],
])('%s and %s: %s', (left, right, expected) => {
  expect(isOneEditApart(left, right)).toBe(expected);
  expect(isOneEditApart(right, left)).toBe(expected);
});

test('every single mistake in any word is one edit', () => {
  const letter = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(letter, { minLength: 2 }), fc.nat(), letter, (drawn, seed, other) => {
      const letters: string[] = drawn;
      const word = letters.join('');
      const at = seed % (letters.length - 1);
      const mistakes = [
        letters.with(at, other),
        letters.toSpliced(at, 1),
        letters.toSpliced(at, 0, other),
        letters.with(at, letters[at + 1] ?? '').with(at + 1, letters[at] ?? ''),
      ].map((each) => each.join(''));
      for (const mistake of mistakes) expect(isOneEditApart(word, mistake)).toBe(mistake !== word);
    }),
  );
});
