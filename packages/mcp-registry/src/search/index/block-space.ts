/**
 * Allocates blocks in parallel arrays. Sizes are powers of two, and freed blocks are reused, so that no compaction is
 * needed.
 */
export class BlockSpace {
  end = 0;
  readonly #free: number[][] = [];

  /** @returns Start of a block with `2 ** power` entries. */
  allocate(power: number): number {
    const known = this.#free[power]?.pop();
    if (known !== undefined) return known;
    const start = this.end;
    this.end += 2 ** power;
    return start;
  }

  free(start: number, power: number): void {
    const free = this.#free[power];
    if (free === undefined) this.#free[power] = [start];
    else free.push(start);
  }
}

export function powerFor(length: number): number {
  return length <= 1 ? 0 : 32 - Math.clz32(length - 1);
}

/** The array itself if long enough; otherwise a copy with 25 % more than needed. */
export function withCapacity<T extends Int32Array | Uint16Array | Uint8Array>(array: T, needed: number): T {
  if (needed <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(16, needed + (needed >> 2)));
  longer.set(array);
  return longer;
}
