import type { Postings } from './postings.js';
import { MAX_IMPACT } from './postings.js';
import type { Sought } from './sought-words.js';
import { MAX_WORTH } from './tool-words.js';

/**
 * One number for each tool, by its place. The memory is kept from query to query, and nothing else is allocated:
 * the time of a search is spent here.
 */
export class KeywordScores {
  /** 0 for a tool that does not match. Tools that are gone may have any. */
  #scores = new Float64Array(0);
  #best = new Float64Array(0);
  #touched = new Int32Array(0);

  /** @param places - How many there are, those of tools that are gone included. */
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
    // Fillers only add to what matches without them.
    for (const each of sought) {
      if (each.concept.kind === 'filler') this.#addToMatches(each, postings);
    }
    return this.#scores;
  }

  /** The best of the words counts, so that a tool gains nothing by saying one thing in several ways. */
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
