export interface TurnLimits {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

/** Who may go and who waits, first come first served. Knows nothing of calls, time or servers. */
export class Turns<Item> {
  readonly #limits: () => TurnLimits;
  readonly #active = new Set<Item>();
  /** In the order they came; a set, so that one in the middle can leave at no cost. */
  readonly #queue = new Set<Item>();

  /** @param limits - Asked each time, since they may change. */
  constructor(limits: () => TurnLimits) {
    this.#limits = limits;
  }

  /** How many have their turn. */
  get active(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** All there are, those with a turn first, in the order they came. */
  items(): readonly Item[] {
    return [...this.#active, ...this.#queue];
  }

  /** Whether there is no place for one more, not even to wait. */
  get isFull(): boolean {
    const { maxConcurrent, maxQueued } = this.#limits();
    return this.#active.size >= maxConcurrent && this.#queue.size >= maxQueued;
  }

  /** @returns Whether it is the item's turn at once; else it waits. To be called when there is place. */
  enter(item: Item): boolean {
    const isNow = this.#queue.size === 0 && this.#active.size < this.#limits().maxConcurrent;
    (isNow ? this.#active : this.#queue).add(item);
    return isNow;
  }

  /** Takes an item out, whether it waits or has its turn. Ask for `next` then. */
  leave(item: Item): void {
    if (!this.#active.delete(item)) this.#queue.delete(item);
  }

  /** The first in the queue, if there is a turn for it: it has it now. To be called until there is none. */
  next(): Item | undefined {
    if (this.#queue.size === 0 || this.#active.size >= this.#limits().maxConcurrent) return undefined;
    const [item] = this.#queue;
    this.#queue.delete(item as Item);
    this.#active.add(item as Item);
    return item;
  }
}
