import { MAX_IMPACT, type Postings } from '../index/postings.js';
import { MAX_WEIGHT } from '../index/tool-words.js';
import type { TermMatch } from '../query/term-matches.js';

/** Computes one score per tool. Reuses its memory, because searches spend their time here. */
export class KeywordScores {
  /** By document id; 0 without a match. Removed tools may have any score. */
  #scores = new Float64Array(0);
  #best = new Float64Array(0);
  #touched = new Int32Array(0);

  /** @param idCount - Includes removed tools. */
  sum(termMatches: readonly TermMatch[], postings: Postings, idCount: number): Float64Array {
    if (this.#scores.length < idCount) {
      const length = idCount + (idCount >> 2);
      this.#scores = new Float64Array(length);
      this.#best = new Float64Array(length);
      this.#touched = new Int32Array(length);
    } else {
      this.#scores.fill(0, 0, idCount);
    }
    for (const each of termMatches) {
      if (each.term.kind !== 'filler') this.#add(each, postings);
    }
    // Fillers only add to other matches.
    for (const each of termMatches) {
      if (each.term.kind === 'filler') this.#addToMatches(each, postings);
    }
    return this.#scores;
  }

  /** Only the best matching word of a term counts, so synonyms in one tool gain nothing. */
  #add({ term, words }: TermMatch, postings: Postings): void {
    const { docIds, impacts } = postings;
    const scores = this.#scores;
    const best = this.#best;
    const touched = this.#touched;
    let count = 0;
    for (const { word, similarity, idf } of words) {
      const unit = (term.weight * similarity * idf * MAX_WEIGHT) / MAX_IMPACT;
      const start = postings.startOf(word);
      const end = start + postings.lengthOf(word);
      for (let at = start; at < end; at++) {
        const docId = docIds[at] ?? 0;
        const known = best[docId] ?? 0;
        const score = unit * (impacts[at] ?? 0);
        if (known === 0) touched[count++] = docId;
        if (score > known) best[docId] = score;
      }
    }
    for (let at = 0; at < count; at++) {
      const docId = touched[at] ?? 0;
      scores[docId] = (scores[docId] ?? 0) + (best[docId] ?? 0);
      best[docId] = 0;
    }
  }

  #addToMatches({ term, words }: TermMatch, postings: Postings): void {
    const { docIds, impacts } = postings;
    const scores = this.#scores;
    for (const { word, similarity, idf } of words) {
      const unit = (term.weight * similarity * idf * MAX_WEIGHT) / MAX_IMPACT;
      const start = postings.startOf(word);
      const end = start + postings.lengthOf(word);
      for (let at = start; at < end; at++) {
        const docId = docIds[at] ?? 0;
        const known = scores[docId] ?? 0;
        if (known > 0) scores[docId] = known + unit * (impacts[at] ?? 0);
      }
    }
  }
}

/** A heap of the best tools, with the worst of them at its root. */
export class TopDocuments {
  readonly #heap: Int32Array;
  readonly #scores: Float64Array;
  readonly #names: readonly (string | undefined)[];
  #length = 0;

  constructor(limit: number, scores: Float64Array, names: readonly (string | undefined)[]) {
    this.#heap = new Int32Array(Math.min(limit, names.length));
    this.#scores = scores;
    this.#names = names;
  }

  offer(docId: number): void {
    const heap = this.#heap;
    if (this.#length < heap.length) {
      heap[this.#length] = docId;
      this.#rise(this.#length++);
    } else if (heap.length > 0 && this.#isWorse(heap[0] ?? 0, docId)) {
      heap[0] = docId;
      this.#sink();
    }
  }

  /** Best first; equal ones by name. */
  inOrder(): Int32Array {
    return this.#heap.subarray(0, this.#length).sort((left, right) => (this.#isWorse(left, right) ? 1 : -1));
  }

  #isWorse(left: number, right: number): boolean {
    const difference = (this.#scores[left] ?? 0) - (this.#scores[right] ?? 0);
    return difference !== 0 ? difference < 0 : (this.#names[left] ?? '') > (this.#names[right] ?? '');
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const docId = heap[from] ?? 0;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(docId, heap[parent] ?? 0)) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = docId;
  }

  #sink(): void {
    const heap = this.#heap;
    const docId = heap[0] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      if (child + 1 < this.#length && this.#isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isWorse(heap[child] ?? 0, docId)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = docId;
  }
}
