import type { Postings } from '../index/postings.js';
import type { Vocabulary } from '../index/vocabulary.js';
import type { Concept } from './keyword-query.js';

/** A concept, with the matching words of the tools. */
export interface Sought {
  readonly concept: Concept;
  readonly words: readonly SoughtWord[];
  /** Information value. */
  readonly rarity: number;
}

interface SoughtWord {
  readonly word: number;
  /** Similarity to the concept, at most 1. */
  readonly likeness: number;
  readonly rarity: number;
}

const FORM = 0.6;
const SYNONYM = 0.35;
const SYNONYM_FORM = 0.25;
const BEGINNING = 0.3;
const TYPO = 0.4;
/** Factor for known words, which are seldom mistyped. Never 0, because matches must not depend on other tools. */
const KNOWN_SHARE = 0.1;
const MIN_BEGINNING = 3;
const MIN_TYPO = 5;
const MIN_FORM = 4;
/** Assumed share of tools with an unknown word. */
const UNKNOWN_SHARE = 0.01;

/** Similarity of two forms of a word. */
export const SAME_WORD = FORM;

/** Finds words that may name a concept. The set of words depends on no other tool. */
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
    // If no tool has the word itself, a rare synonym counts no more than a common one.
    const found = Math.max(postings.liveOf(word), own === undefined ? common : 0);
    return { word, likeness: factor, rarity: rarityOf(found, tools) };
  });
  const known = own === undefined ? UNKNOWN_SHARE * tools : postings.liveOf(own);
  return { concept, words, rarity: rarityOf(known, tools) };
}

/** Information value of a word. Always more than 0. */
export function rarityOf(found: number, tools: number): number {
  return Math.log(1 + (tools - found + 0.5) / (found + 0.5));
}
