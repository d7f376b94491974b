import { BlockSpace, grown, powerFor } from './block-space.js';

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
