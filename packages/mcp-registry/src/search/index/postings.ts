import { BlockSpace, grown, powerFor } from './block-space.js';
import { MAX_WORTH } from './tool-words.js';

export const MAX_IMPACT = 65_535;

/** Ids of the tools that contain each word. */
export class Postings {
  /** Tools of all words. Those of one word begin at `startOf(word)` and are not sorted. */
  places = new Int32Array(0);
  /** Weight of the word for the tool, as a part of MAX_IMPACT. */
  impacts = new Uint16Array(0);
  fields = new Uint8Array(0);
  #starts = new Int32Array(0);
  #lengths = new Int32Array(0);
  #dead = new Int32Array(0);
  #powers = new Uint8Array(0);
  readonly #space = new BlockSpace();

  startOf(word: number): number {
    return this.#starts[word] ?? 0;
  }

  lengthOf(word: number): number {
    return this.#lengths[word] ?? 0;
  }

  liveOf(word: number): number {
    return (this.#lengths[word] ?? 0) - (this.#dead[word] ?? 0);
  }

  add(word: number, place: number, worth: number, fields: number): void {
    this.#makeRoom(word);
    const at = this.startOf(word) + this.lengthOf(word);
    this.places[at] = place;
    // 0 would mean no match.
    this.impacts[at] = Math.max(1, Math.round((worth / MAX_WORTH) * MAX_IMPACT));
    this.fields[at] = fields;
    this.#lengths[word] = this.lengthOf(word) + 1;
  }

  /**
   * Records a removal, and compacts the list once most of it is removed.
   *
   * @param isGone - True if the tool is removed; called once for each that leaves the list.
   */
  leave(word: number, isGone: (place: number) => boolean): void {
    this.#dead[word] = (this.#dead[word] ?? 0) + 1;
    if ((this.#dead[word] ?? 0) * 2 <= this.lengthOf(word)) return;
    const start = this.startOf(word);
    const end = start + this.lengthOf(word);
    let kept = start;
    for (let at = start; at < end; at++) {
      const place = this.places[at] ?? 0;
      if (isGone(place)) continue;
      this.places[kept] = place;
      this.impacts[kept] = this.impacts[at] ?? 0;
      this.fields[kept] = this.fields[at] ?? 0;
      kept++;
    }
    this.#lengths[word] = kept - start;
    this.#dead[word] = 0;
    if (kept === start) this.#space.giveBack(start, this.#powers[word] ?? 0);
  }

  #makeRoom(word: number): void {
    if (word >= this.#starts.length) {
      this.#starts = grown(this.#starts, word + 1);
      this.#lengths = grown(this.#lengths, word + 1);
      this.#dead = grown(this.#dead, word + 1);
      this.#powers = grown(this.#powers, word + 1);
    }
    const length = this.lengthOf(word);
    const power = this.#powers[word] ?? 0;
    if (length > 0 && length < 2 ** power) return;
    const start = this.startOf(word);
    const nextPower = length === 0 ? 0 : power + 1;
    const next = this.#space.take(nextPower);
    this.places = grown(this.places, this.#space.end);
    this.impacts = grown(this.impacts, this.#space.end);
    this.fields = grown(this.fields, this.#space.end);
    if (length > 0) {
      this.places.copyWithin(next, start, start + length);
      this.impacts.copyWithin(next, start, start + length);
      this.fields.copyWithin(next, start, start + length);
      this.#space.giveBack(start, power);
    }
    this.#starts[word] = next;
    this.#powers[word] = nextPower;
  }
}

/** Word ids per tool; ids of the tool's own name come first. */
export class WordLists {
  #words = new Int32Array(0);
  #starts = new Int32Array(0);
  #lengths = new Int32Array(0);
  #nameLengths = new Uint8Array(0);
  readonly #space = new BlockSpace();

  set(place: number, words: ReadonlySet<number>, nameLength: number): void {
    this.#starts = grown(this.#starts, place + 1);
    this.#lengths = grown(this.#lengths, place + 1);
    this.#nameLengths = grown(this.#nameLengths, place + 1);
    const start = this.#space.take(powerFor(words.size));
    this.#words = grown(this.#words, this.#space.end);
    let at = start;
    for (const word of words) this.#words[at++] = word;
    this.#starts[place] = start;
    this.#lengths[place] = words.size;
    this.#nameLengths[place] = Math.min(255, nameLength);
  }

  nameOf(place: number): Int32Array {
    const start = this.#starts[place] ?? 0;
    return this.#words.subarray(start, start + (this.#nameLengths[place] ?? 0));
  }

  take(place: number): Int32Array {
    const start = this.#starts[place] ?? 0;
    const length = this.#lengths[place] ?? 0;
    this.#space.giveBack(start, powerFor(length));
    this.#lengths[place] = 0;
    this.#nameLengths[place] = 0;
    return this.#words.slice(start, start + length);
  }
}
