import { readQuery } from '../query/keyword-query.js';
import { matchTerm, type TermMatch } from '../query/term-matches.js';
import { type IndexedTools, MatchReader, type RankedTool, rerank, toRankedTool } from '../rank/keyword-ranking.js';
import { KeywordScores, TopDocuments } from '../rank/keyword-scores.js';
import { judgeMatch, type MatchVerdict } from '../rank/weak-match.js';
import { withCapacity } from './block-space.js';
import { Postings, WordLists } from './postings.js';
import type { SearchDocument } from './search-document.js';
import { readToolWords } from './tool-words.js';
import { Vocabulary } from './vocabulary.js';

interface KeywordResult extends MatchVerdict {
  /** All matches, before `limit`. */
  readonly total: number;
  /** Best first, at most `limit`; equal scores by name. */
  readonly ranked: readonly RankedTool[];
  /** Words of the query that no accepted tool has in any form, in order. */
  readonly unmatchedTerms: readonly string[];
}

interface KeywordOptions {
  readonly limit: number;
  readonly accepts?: (name: string) => boolean;
}

/** Number of candidates that are ranked precisely. Independent of the limit, so that pages fit together. */
const WINDOW = 100;

/** Each view has its own index, because hidden tools must not affect scores. */
export class KeywordIndex {
  readonly #docIds = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** Ids of removed tools that some posting lists still contain. */
  readonly #removedIds = new Set<number>();
  /** Number of posting lists that contain the id. */
  #listCounts = new Int32Array(0);
  readonly #vocabulary = new Vocabulary();
  readonly #postings = new Postings();
  readonly #lists = new WordLists();
  readonly #scores = new KeywordScores();
  readonly #matchReader = new MatchReader();

  get size(): number {
    return this.#docIds.size;
  }

  add(document: SearchDocument): void {
    this.remove(document.name);
    const words = readToolWords(document);
    const docId = this.#freeIds.pop() ?? this.#names.length;
    this.#docIds.set(document.name, docId);
    this.#names[docId] = document.name;
    this.#listCounts = withCapacity(this.#listCounts, docId + 1);
    this.#listCounts[docId] = words.all.size;
    const wordIds = new Set<number>();
    for (const word of words.name) wordIds.add(this.#vocabulary.add(word));
    for (const [word, { weight, fields }] of words.all) {
      const id = this.#vocabulary.add(word);
      wordIds.add(id);
      this.#postings.add(id, docId, weight, fields);
    }
    this.#lists.set(docId, wordIds, words.name.length);
  }

  remove(name: string): void {
    const docId = this.#docIds.get(name);
    if (docId === undefined) return;
    this.#docIds.delete(name);
    this.#names[docId] = undefined;
    const words = this.#lists.remove(docId);
    if (words.length === 0) this.#freeIds.push(docId);
    else this.#removedIds.add(docId);
    for (const word of words) {
      this.#postings.remove(word, this.#releaseId);
      if (this.#postings.documentCountOf(word) === 0) this.#vocabulary.remove(word);
    }
  }

  /** An id is reused once no posting list contains it. */
  readonly #releaseId = (docId: number): boolean => {
    if (this.#names[docId] !== undefined) return false;
    const listCount = (this.#listCounts[docId] ?? 0) - 1;
    this.#listCounts[docId] = listCount;
    if (listCount === 0) {
      this.#removedIds.delete(docId);
      this.#freeIds.push(docId);
    }
    return true;
  };

  /** @param query - Only its first 1 000 characters and 64 distinct words count. */
  rank(query: string, { limit, accepts }: KeywordOptions): KeywordResult {
    const tools: IndexedTools = {
      names: this.#names,
      vocabulary: this.#vocabulary,
      postings: this.#postings,
      lists: this.#lists,
    };
    const parsed = readQuery(query);
    const termMatches = parsed.terms.map((term) => matchTerm(term, this.#vocabulary, this.#postings, this.size));
    const idCount = this.#names.length;
    const scores = this.#scores.sum(termMatches, this.#postings, idCount);
    const best = new TopDocuments(Math.max(WINDOW, limit), scores, this.#names);
    const total = this.#offerMatches(scores, best, accepts);

    const candidates = best.inOrder();
    const matchTable = this.#matchReader.read(candidates, termMatches, this.#postings, idCount);
    const matches = rerank(candidates, WINDOW, scores, matchTable, termMatches, parsed.action, tools).slice(0, limit);
    return {
      total,
      ranked: matches.map((match) => toRankedTool(match, matchTable, termMatches)),
      unmatchedTerms: termMatches
        .filter((each) => isUnmatched(each, scores, this.#postings))
        .map(({ term }) => term.text),
      ...judgeMatch(matches[0], matchTable, termMatches, this.size),
    };
  }

  /**
   * Clears the scores of removed and excluded tools.
   *
   * @returns Number of matches.
   */
  #offerMatches(scores: Float64Array, best: TopDocuments, accepts: KeywordOptions['accepts']): number {
    for (const docId of this.#removedIds) scores[docId] = 0;
    const idCount = this.#names.length;
    let total = 0;
    for (let docId = 0; docId < idCount; docId++) {
      if (scores[docId] === 0) continue;
      if (accepts !== undefined && !accepts(this.#names[docId] ?? '')) {
        scores[docId] = 0;
        continue;
      }
      total++;
      best.offer(docId);
    }
    return total;
  }
}

function isUnmatched({ term, words }: TermMatch, scores: Float64Array, postings: Postings): boolean {
  if (term.kind !== 'word') return false;
  for (const { word } of words) {
    const start = postings.startOf(word);
    const end = start + postings.lengthOf(word);
    for (let at = start; at < end; at++) if ((scores[postings.docIds[at] ?? 0] ?? 0) > 0) return false;
  }
  return true;
}
