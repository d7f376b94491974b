import type { LocatedChange } from './dialect.js';
import type { Splice } from './splice.js';

/** Tells which changes that were located in one text can be made together, as none is in the way of another. */
export class ClaimedText {
  /** By character: whether it is replaced. */
  readonly #replaced: Uint8Array;
  /** By the place before a character: whether something is inserted there, or belongs to what an insertion looked at. */
  readonly #kept: Uint8Array;
  /** By place: the list that something is added to there. */
  readonly #lists = new Map<number, object>();

  constructor(length: number) {
    this.#replaced = new Uint8Array(length + 1);
    this.#kept = new Uint8Array(length + 1);
  }

  /** Whether the change fits in with all that were claimed before. If not, nothing is claimed. */
  claim(change: LocatedChange): boolean {
    const { splices, behind } = change;
    if (behind !== undefined && this.#replaced[behind.end - 1] === 1) return false;
    if (splices.some((splice) => this.#isTaken(splice, behind?.list))) return false;
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

  /** What replaces a range may stand right behind an insertion, but not right before it, where the insertion belongs. */
  #isTaken({ start, end }: Splice, list: object | undefined): boolean {
    if (start < end) {
      return this.#replaced.subarray(start, end).includes(1) || this.#kept.subarray(start + 1, end + 1).includes(1);
    }
    if (this.#replaced[start - 1] === 1) return true;
    return this.#kept[start] === 1 && (list === undefined || this.#lists.get(start) !== list);
  }
}
