import type { Postings } from '../index/postings.js';
import type { Vocabulary } from '../index/vocabulary.js';
import type { QueryTerm } from './keyword-query.js';

/** A query term, with the matching words of the tools. */
export interface TermMatch {
  readonly term: QueryTerm;
  readonly words: readonly MatchedWord[];
  readonly idf: number;
}

interface MatchedWord {
  readonly word: number;
  /** Similarity to the term, at most 1. */
  readonly similarity: number;
  readonly idf: number;
}

const FORM = 0.6;
const SYNONYM = 0.35;
const SYNONYM_FORM = 0.25;
const RELATED = 0.35;
const PREFIX = 0.3;
const TYPO = 0.4;
/** Factor for known words, which are seldom mistyped. Never 0, because matches must not depend on other tools. */
const KNOWN_SHARE = 0.1;
const MIN_PREFIX = 3;
const MIN_TYPO = 5;
const MIN_FORM = 4;
/** Assumed share of tools with an unknown word. */
const UNKNOWN_SHARE = 0.01;

/** Similarity of two forms of a word. */
export const SAME_WORD = FORM;

/** Finds words that match a query term. The set of words depends on no other tool. */
export function matchTerm(term: QueryTerm, vocabulary: Vocabulary, postings: Postings, toolCount: number): TermMatch {
  const similarity = new Map<number, number>();
  const put = (word: number, factor: number) => {
    if (factor > (similarity.get(word) ?? 0)) similarity.set(word, factor);
  };
  const own = vocabulary.idOf(term.word);
  if (own !== undefined) put(own, 1);
  let common = 0;
  const putKnown = (id: number | undefined, factor: number) => {
    if (id === undefined) return;
    put(id, factor);
    common = Math.max(common, postings.documentCountOf(id));
  };
  for (const synonym of term.synonyms) {
    putKnown(vocabulary.idOf(synonym), SYNONYM);
    for (const relative of vocabulary.relativesOf(synonym)) put(relative, SYNONYM_FORM);
  }
  const { word, matchesForms, matchesPrefix, matchesTypos } = term;
  const share = own === undefined ? 1 : KNOWN_SHARE;
  for (const related of term.related) putKnown(vocabulary.idOf(related), RELATED * share);
  if (matchesForms && word.length >= MIN_FORM) {
    for (const id of vocabulary.relativesOf(word)) put(id, FORM);
  }
  if (matchesPrefix && word.length >= MIN_PREFIX) {
    for (const id of vocabulary.startingWith(word)) put(id, PREFIX * share);
  }
  if (matchesTypos && word.length >= MIN_TYPO) {
    for (const id of vocabulary.oneEditFrom(word)) put(id, TYPO * share);
  }
  const words = Array.from(similarity, ([word, factor]) => {
    // If no tool has the word itself, a rare synonym counts no more than a common one.
    const found = Math.max(postings.documentCountOf(word), own === undefined ? common : 0);
    return { word, similarity: factor, idf: idfOf(found, toolCount) };
  });
  const known = own === undefined ? UNKNOWN_SHARE * toolCount : postings.documentCountOf(own);
  return { term, words, idf: idfOf(known, toolCount) };
}

/** Inverse document frequency, as in BM25. Always more than 0. */
export function idfOf(documentCount: number, toolCount: number): number {
  return Math.log(1 + (toolCount - documentCount + 0.5) / (documentCount + 0.5));
}
