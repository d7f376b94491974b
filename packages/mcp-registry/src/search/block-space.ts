/**
 * Hands out room in arrays that lie side by side. Rooms have sizes of powers of two, and one that was given back is
 * the next one handed out, so lists may grow and shrink for ever without a clean-up of the whole.
 */
export class BlockSpace {
  /** How long the arrays must be. */
  end = 0;
  readonly #free: number[][] = [];

  /** @returns Where a room of `2 ** power` places begins. */
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

/** The power of two that `length` places fit into. */
export function powerFor(length: number): number {
  return length <= 1 ? 0 : 32 - Math.clz32(length - 1);
}

/**
 * The array itself if it is long enough, or a copy with a quarter more than is needed, so that growing stays rare and
 * little stays unused.
 */
export function grown<T extends Int32Array | Uint16Array | Uint8Array>(array: T, needed: number): T {
  if (needed <= array.length) return array;
  // The constructor of a typed array makes one of the same kind.
  const longer = new (array.constructor as new (length: number) => T)(Math.max(16, needed + (needed >> 2)));
  longer.set(array);
  return longer;
}
