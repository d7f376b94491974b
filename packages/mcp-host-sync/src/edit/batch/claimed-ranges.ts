import type { LocatedChange } from '../dialect.js';
import type { Splice } from '../text/splice.js';

/** Decides which changes to one text can be applied together. */
export class ClaimedRanges {
  /** One flag per character: a splice replaces it. */
  readonly #replaced: Uint8Array;
  /** One flag per position: an insertion happens here or depends on the text here. */
  readonly #kept: Uint8Array;
  /** The list that gains a member, by position. */
  readonly #lists = new Map<number, object>();

  constructor(length: number) {
    this.#replaced = new Uint8Array(length + 1);
    this.#kept = new Uint8Array(length + 1);
  }

  /** Claims the ranges of a change. Returns false, and claims nothing, if an earlier claim conflicts. */
  claim(change: LocatedChange): boolean {
    const { splices, behind } = change;
    if (behind !== undefined && this.#replaced[behind.end - 1] === 1) return false;
    if (splices.some((splice) => this.#isClaimed(splice, behind?.list))) return false;
    if (behind !== undefined) this.#kept[behind.end] = 1;
    for (const { start, end } of splices) {
      if (start < end) this.#replaced.fill(1, start, end);
      else {
        this.#kept[start] = 1;
        if (behind !== undefined) this.#lists.set(start, behind.list);
      }
    }
    return true;
  }

  /** A replacement may start right after an insertion but must not end at one. */
  #isClaimed({ start, end }: Splice, list: object | undefined): boolean {
    if (start < end) {
      return this.#replaced.subarray(start, end).includes(1) || this.#kept.subarray(start + 1, end + 1).includes(1);
    }
    if (this.#replaced[start - 1] === 1) return true;
    return this.#kept[start] === 1 && (list === undefined || this.#lists.get(start) !== list);
  }
}
