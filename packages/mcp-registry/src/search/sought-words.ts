import type { Concept } from './keyword-query.js';
import type { Postings } from './postings.js';
import type { Vocabulary } from './vocabulary.js';

/** A concept of a query, with the matching words of the tools. */
export interface Sought {
  readonly concept: Concept;
  readonly words: readonly SoughtWord[];
  /** Information value of the concept. */
  readonly rarity: number;
}

interface SoughtWord {
  /** Its id in the vocabulary. */
  readonly word: number;
  /** Similarity to the concept, up to 1. */
  readonly likeness: number;
  readonly rarity: number;
}

const FORM = 0.6;
const SYNONYM = 0.35;
const SYNONYM_FORM = 0.25;
const BEGINNING = 0.3;
const TYPO = 0.4;
/** A word that some tool has is seldom mistyped. Never 0: a match must not depend on other tools. */
const KNOWN_SHARE = 0.1;
const MIN_BEGINNING = 3;
const MIN_TYPO = 5;
const MIN_FORM = 4;
/** A word that no tool has counts as one that a hundredth of them have. */
const UNKNOWN_SHARE = 0.01;

/** Minimum similarity of a word and another form of it. */
export const SAME_WORD = FORM;

/** Finds the words by which tools may name a concept. The set of words depends on no other tool. */
export function seek(concept: Concept, vocabulary: Vocabulary, postings: Postings, tools: number): Sought {
  const likeness = new Map<number, number>();
  const put = (word: number, factor: number) => {
    if (factor > (likeness.get(word) ?? 0)) likeness.set(word, factor);
  };
  const own = vocabulary.numberOf(concept.word);
  if (own !== undefined) put(own, 1);
  let common = 0;
  for (const synonym of concept.synonyms) {
    const number = vocabulary.numberOf(synonym);
    if (number !== undefined) {
      put(number, SYNONYM);
      common = Math.max(common, postings.liveOf(number));
    }
    for (const relative of vocabulary.relativesOf(synonym)) put(relative, SYNONYM_FORM);
  }
  const { word, hasForms, mayBeShort, mayBeMistyped } = concept;
  const share = own === undefined ? 1 : KNOWN_SHARE;
  if (hasForms && word.length >= MIN_FORM) {
    for (const number of vocabulary.relativesOf(word)) put(number, FORM);
  }
  if (mayBeShort && word.length >= MIN_BEGINNING) {
    for (const number of vocabulary.startingWith(word)) put(number, BEGINNING * share);
  }
  if (mayBeMistyped && word.length >= MIN_TYPO) {
    for (const number of vocabulary.oneEditFrom(word)) put(number, TYPO * share);
  }
  const words = Array.from(likeness, ([word, factor]) => {
    // If no tool uses the word itself, a rare synonym is worth no more than a common one.
    const found = Math.max(postings.liveOf(word), own === undefined ? common : 0);
    return { word, likeness: factor, rarity: rarityOf(found, tools) };
  });
  const known = own === undefined ? UNKNOWN_SHARE * tools : postings.liveOf(own);
  return { concept, words, rarity: rarityOf(known, tools) };
}

/** Information value of a word that this share of all tools have. Always more than 0. */
export function rarityOf(found: number, tools: number): number {
  return Math.log(1 + (tools - found + 0.5) / (found + 0.5));
}
