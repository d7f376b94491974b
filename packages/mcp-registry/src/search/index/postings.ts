import { BlockSpace, powerFor, withCapacity } from './block-space.js';
import { MAX_WEIGHT } from './tool-words.js';

export const MAX_IMPACT = 65_535;

/** The documents that contain each word, with weights. */
export class Postings {
  /** Documents of all words. Those of one word begin at `startOf(word)` and are not sorted. */
  docIds = new Int32Array(0);
  /** Weight of the word for the tool, scaled from MAX_WEIGHT to MAX_IMPACT. */
  impacts = new Uint16Array(0);
  fields = new Uint8Array(0);
  #starts = new Int32Array(0);
  #lengths = new Int32Array(0);
  #removed = new Int32Array(0);
  #powers = new Uint8Array(0);
  readonly #space = new BlockSpace();

  startOf(word: number): number {
    return this.#starts[word] ?? 0;
  }

  lengthOf(word: number): number {
    return this.#lengths[word] ?? 0;
  }

  documentCountOf(word: number): number {
    return (this.#lengths[word] ?? 0) - (this.#removed[word] ?? 0);
  }

  add(word: number, docId: number, weight: number, fields: number): void {
    this.#reserve(word);
    const at = this.startOf(word) + this.lengthOf(word);
    this.docIds[at] = docId;
    // 0 would mean no match.
    this.impacts[at] = Math.max(1, Math.round((weight / MAX_WEIGHT) * MAX_IMPACT));
    this.fields[at] = fields;
    this.#lengths[word] = this.lengthOf(word) + 1;
  }

  /**
   * Records a removal, and compacts the list once most of it is removed.
   *
   * @param isRemoved - Called once for each document that leaves the list.
   */
  remove(word: number, isRemoved: (docId: number) => boolean): void {
    this.#removed[word] = (this.#removed[word] ?? 0) + 1;
    if ((this.#removed[word] ?? 0) * 2 <= this.lengthOf(word)) return;
    const start = this.startOf(word);
    const end = start + this.lengthOf(word);
    let kept = start;
    for (let at = start; at < end; at++) {
      const docId = this.docIds[at] ?? 0;
      if (isRemoved(docId)) continue;
      this.docIds[kept] = docId;
      this.impacts[kept] = this.impacts[at] ?? 0;
      this.fields[kept] = this.fields[at] ?? 0;
      kept++;
    }
    this.#lengths[word] = kept - start;
    this.#removed[word] = 0;
    if (kept === start) this.#space.free(start, this.#powers[word] ?? 0);
  }

  #reserve(word: number): void {
    if (word >= this.#starts.length) {
      this.#starts = withCapacity(this.#starts, word + 1);
      this.#lengths = withCapacity(this.#lengths, word + 1);
      this.#removed = withCapacity(this.#removed, word + 1);
      this.#powers = withCapacity(this.#powers, word + 1);
    }
    const length = this.lengthOf(word);
    const power = this.#powers[word] ?? 0;
    if (length > 0 && length < 2 ** power) return;
    const start = this.startOf(word);
    const nextPower = length === 0 ? 0 : power + 1;
    const next = this.#space.allocate(nextPower);
    this.docIds = withCapacity(this.docIds, this.#space.end);
    this.impacts = withCapacity(this.impacts, this.#space.end);
    this.fields = withCapacity(this.fields, this.#space.end);
    if (length > 0) {
      this.docIds.copyWithin(next, start, start + length);
      this.impacts.copyWithin(next, start, start + length);
      this.fields.copyWithin(next, start, start + length);
      this.#space.free(start, power);
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

  set(docId: number, words: ReadonlySet<number>, nameLength: number): void {
    this.#starts = withCapacity(this.#starts, docId + 1);
    this.#lengths = withCapacity(this.#lengths, docId + 1);
    this.#nameLengths = withCapacity(this.#nameLengths, docId + 1);
    const start = this.#space.allocate(powerFor(words.size));
    this.#words = withCapacity(this.#words, this.#space.end);
    let at = start;
    for (const word of words) this.#words[at++] = word;
    this.#starts[docId] = start;
    this.#lengths[docId] = words.size;
    this.#nameLengths[docId] = Math.min(255, nameLength);
  }

  nameWordsOf(docId: number): Int32Array {
    const start = this.#starts[docId] ?? 0;
    return this.#words.subarray(start, start + (this.#nameLengths[docId] ?? 0));
  }

  remove(docId: number): Int32Array {
    const start = this.#starts[docId] ?? 0;
    const length = this.#lengths[docId] ?? 0;
    this.#space.free(start, powerFor(length));
    this.#lengths[docId] = 0;
    this.#nameLengths[docId] = 0;
    return this.#words.slice(start, start + length);
  }
}
