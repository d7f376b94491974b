import { readQuery } from '../query/keyword-query.js';
import { type Sought, seek } from '../query/term-matches.js';
import {
  EvidenceReader,
  type IndexedTools,
  orderClosely,
  type RankedTool,
  toRankedTool,
} from '../rank/keyword-ranking.js';
import { KeywordScores, TopPlaces } from '../rank/keyword-scores.js';
import { grown } from './block-space.js';
import { Postings, WordLists } from './postings.js';
import type { SearchDocument } from './search-document.js';
import { readToolWords } from './tool-words.js';
import { Vocabulary } from './vocabulary.js';

interface KeywordAnswer {
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
  readonly #places = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  /** Removed tools that some lists still contain. */
  readonly #gone = new Set<number>();
  /** Number of lists that contain the tool. */
  #holds = new Int32Array(0);
  readonly #vocabulary = new Vocabulary();
  readonly #postings = new Postings();
  readonly #lists = new WordLists();
  readonly #scores = new KeywordScores();
  readonly #evidence = new EvidenceReader();

  get size(): number {
    return this.#places.size;
  }

  add(document: SearchDocument): void {
    this.remove(document.name);
    const words = readToolWords(document);
    const place = this.#freePlaces.pop() ?? this.#names.length;
    this.#places.set(document.name, place);
    this.#names[place] = document.name;
    this.#holds = grown(this.#holds, place + 1);
    this.#holds[place] = words.all.size;
    const numbers = new Set<number>();
    for (const word of words.name) numbers.add(this.#vocabulary.add(word));
    for (const [word, { worth, fields }] of words.all) {
      const number = this.#vocabulary.add(word);
      numbers.add(number);
      this.#postings.add(number, place, worth, fields);
    }
    this.#lists.set(place, numbers, words.name.length);
  }

  remove(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    this.#names[place] = undefined;
    const words = this.#lists.take(place);
    if (words.length === 0) this.#freePlaces.push(place);
    else this.#gone.add(place);
    for (const word of words) {
      this.#postings.leave(word, this.#letGo);
      if (this.#postings.liveOf(word) === 0) this.#vocabulary.remove(word);
    }
  }

  /** An id is reused once no list contains it. */
  readonly #letGo = (place: number): boolean => {
    if (this.#names[place] !== undefined) return false;
    const holds = (this.#holds[place] ?? 0) - 1;
    this.#holds[place] = holds;
    if (holds === 0) {
      this.#gone.delete(place);
      this.#freePlaces.push(place);
    }
    return true;
  };

  /** @param query - Only its first 1 000 characters and 64 distinct words count. */
  rank(query: string, { limit, accepts }: KeywordOptions): KeywordAnswer {
    const tools: IndexedTools = {
      names: this.#names,
      vocabulary: this.#vocabulary,
      postings: this.#postings,
      lists: this.#lists,
    };
    const asked = readQuery(query);
    const sought = asked.concepts.map((concept) => seek(concept, this.#vocabulary, this.#postings, this.size));
    const places = this.#names.length;
    const scores = this.#scores.sum(sought, this.#postings, places);
    const best = new TopPlaces(Math.max(WINDOW, limit), scores, this.#names);
    const total = this.#offerMatches(scores, best, accepts);

    const candidates = best.inOrder();
    const evidence = this.#evidence.read(candidates, sought, this.#postings, places);
    const matches = orderClosely(candidates, WINDOW, scores, evidence, sought, asked.action, tools).slice(0, limit);
    return {
      total,
      ranked: matches.map((match) => toRankedTool(match, evidence, sought)),
      unmatchedTerms: sought
        .filter((each) => isUnmatched(each, scores, this.#postings))
        .map(({ concept }) => concept.text),
    };
  }

  /**
   * Clears the scores of removed and excluded tools.
   *
   * @returns Number of matches.
   */
  #offerMatches(scores: Float64Array, best: TopPlaces, accepts: KeywordOptions['accepts']): number {
    for (const place of this.#gone) scores[place] = 0;
    const places = this.#names.length;
    let total = 0;
    for (let place = 0; place < places; place++) {
      if (scores[place] === 0) continue;
      if (accepts !== undefined && !accepts(this.#names[place] ?? '')) {
        scores[place] = 0;
        continue;
      }
      total++;
      best.offer(place);
    }
    return total;
  }
}

function isUnmatched({ concept, words }: Sought, scores: Float64Array, postings: Postings): boolean {
  if (concept.kind !== 'word') return false;
  for (const { word } of words) {
    const start = postings.startOf(word);
    const end = start + postings.lengthOf(word);
    for (let at = start; at < end; at++) if ((scores[postings.places[at] ?? 0] ?? 0) > 0) return false;
  }
  return true;
}
