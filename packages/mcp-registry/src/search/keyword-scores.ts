import type { Postings } from './postings.js';
import { MAX_IMPACT } from './postings.js';
import type { Sought } from './sought-words.js';
import { MAX_WORTH } from './tool-words.js';

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
