import { MAX_IMPACT, type Postings } from '../index/postings.js';
import { MAX_WORTH } from '../index/tool-words.js';
import type { Sought } from '../query/term-matches.js';

/** Computes one score per tool. Reuses its memory, because searches spend their time here. */
export class KeywordScores {
  /** 0 without a match; undefined for removed tools. */
  #scores = new Float64Array(0);
  #best = new Float64Array(0);
  #touched = new Int32Array(0);

  /** @param places - Includes removed tools. */
  sum(sought: readonly Sought[], postings: Postings, places: number): Float64Array {
    if (this.#scores.length < places) {
      const length = places + (places >> 2);
      this.#scores = new Float64Array(length);
      this.#best = new Float64Array(length);
      this.#touched = new Int32Array(length);
    } else {
      this.#scores.fill(0, 0, places);
    }
    for (const each of sought) {
      if (each.concept.kind !== 'filler') this.#add(each, postings);
    }
    // Fillers only add to other matches.
    for (const each of sought) {
      if (each.concept.kind === 'filler') this.#addToMatches(each, postings);
    }
    return this.#scores;
  }

  /** Only the best word of a concept counts, so synonyms in one tool gain nothing. */
  #add({ concept, words }: Sought, postings: Postings): void {
    const { places, impacts } = postings;
    const scores = this.#scores;
    const best = this.#best;
    const touched = this.#touched;
    let count = 0;
    for (const { word, likeness, rarity } of words) {
      const unit = (concept.weight * likeness * rarity * MAX_WORTH) / MAX_IMPACT;
      const start = postings.startOf(word);
      const end = start + postings.lengthOf(word);
      for (let at = start; at < end; at++) {
        const place = places[at] ?? 0;
        const known = best[place] ?? 0;
        const score = unit * (impacts[at] ?? 0);
        if (known === 0) touched[count++] = place;
        if (score > known) best[place] = score;
      }
    }
    for (let at = 0; at < count; at++) {
      const place = touched[at] ?? 0;
      scores[place] = (scores[place] ?? 0) + (best[place] ?? 0);
      best[place] = 0;
    }
  }

  #addToMatches({ concept, words }: Sought, postings: Postings): void {
    const { places, impacts } = postings;
    const scores = this.#scores;
    for (const { word, likeness, rarity } of words) {
      const unit = (concept.weight * likeness * rarity * MAX_WORTH) / MAX_IMPACT;
      const start = postings.startOf(word);
      const end = start + postings.lengthOf(word);
      for (let at = start; at < end; at++) {
        const place = places[at] ?? 0;
        const known = scores[place] ?? 0;
        if (known > 0) scores[place] = known + unit * (impacts[at] ?? 0);
      }
    }
  }
}

/** A heap of the best tools, with the worst of them at its root. */
export class TopPlaces {
  readonly #heap: Int32Array;
  readonly #scores: Float64Array;
  readonly #names: readonly (string | undefined)[];
  #length = 0;

  constructor(limit: number, scores: Float64Array, names: readonly (string | undefined)[]) {
    this.#heap = new Int32Array(Math.min(limit, names.length));
    this.#scores = scores;
    this.#names = names;
  }

  offer(place: number): void {
    const heap = this.#heap;
    if (this.#length < heap.length) {
      heap[this.#length] = place;
      this.#rise(this.#length++);
    } else if (heap.length > 0 && this.#isWorse(heap[0] ?? 0, place)) {
      heap[0] = place;
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
    const place = heap[from] ?? 0;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(place, heap[parent] ?? 0)) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = place;
  }

  #sink(): void {
    const heap = this.#heap;
    const place = heap[0] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      if (child + 1 < this.#length && this.#isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isWorse(heap[child] ?? 0, place)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = place;
  }
}
