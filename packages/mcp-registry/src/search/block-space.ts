/**
 * Allocates blocks in parallel arrays. Blocks have sizes of powers of two, and a freed one is reused first, so lists
 * may grow and shrink forever without compaction.
 */
export class BlockSpace {
  /** Required length of the arrays. */
  end = 0;
  readonly #free: number[][] = [];

  /** @returns Start of a block of `2 ** power` places. */
  take(power: number): number {
    const known = this.#free[power]?.pop();
    if (known !== undefined) return known;
    const start = this.end;
    this.end += 2 ** power;
    return start;
  }

  giveBack(start: number, power: number): void {
    const free = this.#free[power];
    if (free === undefined) this.#free[power] = [start];
    else free.push(start);
  }
}

/** The power of two that fits `length` places. */
export function powerFor(length: number): number {
  return length <= 1 ? 0 : 32 - Math.clz32(length - 1);
}

/**
 * The array itself if it is long enough, or a copy with a quarter more than needed, so that growth is rare and little
 * memory is unused.
 */
export function grown<T extends Int32Array | Uint16Array | Uint8Array>(array: T, needed: number): T {
  if (needed <= array.length) return array;
  // The constructor of a typed array makes one of the same kind.
  const longer = new (array.constructor as new (length: number) => T)(Math.max(16, needed + (needed >> 2)));
  longer.set(array);
  return longer;
}
