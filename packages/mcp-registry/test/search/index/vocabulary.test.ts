import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOneEditApart, Vocabulary } from '../../../src/search/index/vocabulary.js';

function vocabularyOf(words: Iterable<string>): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.add(word);
  return vocabulary;
}

const wordsOf = (vocabulary: Vocabulary, ids: readonly number[]) =>
  Array.from(new Set(ids.map((id) => vocabulary.wordOf(id)))).toSorted();

describe('a vocabulary', () => {
  const vocabulary = vocabularyOf(['file', 'filesystem', 'filing', 'fill', 'search', 'searcher', 'constructor']);

  test('gives longer words that begin with one', () => {
    expect(wordsOf(vocabulary, vocabulary.startingWith('fil'))).toEqual(['file', 'filesystem', 'filing', 'fill']);
    expect(wordsOf(vocabulary, vocabulary.startingWith('file'))).toEqual(['filesystem']);
  });

  test('gives words one mistake away', () => {
    expect(wordsOf(vocabulary, vocabulary.oneEditFrom('serch'))).toEqual(['search']);
    expect(wordsOf(vocabulary, vocabulary.oneEditFrom('seacrh'))).toEqual(['search']);
  });

  test('gives other words of the same family', () => {
    expect(wordsOf(vocabulary, vocabulary.relativesOf('searching'))).toEqual(['search', 'searcher']);
  });

  test('contains only added words', () => {
    expect(vocabulary.idOf('toString')).toBeUndefined();
    expect(vocabulary.idOf('constructor')).toBeTypeOf('number');
  });
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'e', 'r'), minLength: 1, maxLength: 8 });

test('removed words leave no trace', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word), fc.uniqueArray(word), word, (kept, gone, asked) => {
      const stays = new Set(kept);
      const vocabulary = vocabularyOf([...kept, ...gone]);
      for (const each of gone) {
        const id = vocabulary.idOf(each);
        if (id !== undefined && !stays.has(each)) vocabulary.remove(id);
      }
      const fresh = vocabularyOf(kept);
      expect(vocabulary.size).toBe(fresh.size);
      const ways = [vocabulary, fresh].map((each) => [
        wordsOf(each, each.startingWith(asked.padEnd(3, 'a'))),
        wordsOf(each, each.oneEditFrom(asked)),
        wordsOf(each, each.relativesOf(asked)),
      ]);
      expect(ways[0]).toEqual(ways[1]);
    }),
  );
});

test('finds every single typo in words of six letters or more', () => {
  const long = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 5, maxLength: 9 });
  fc.assert(
    fc.property(fc.uniqueArray(long, { minLength: 20 }), long, (words, asked) => {
      fc.pre(asked.length > 5);
      const vocabulary = vocabularyOf(words);
      const expected = words.filter((each) => isOneEditApart(asked, each)).toSorted();
      expect(wordsOf(vocabulary, vocabulary.oneEditFrom(asked))).toEqual(expected);
    }),
  );
});
