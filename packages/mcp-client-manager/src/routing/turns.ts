export interface TurnLimits {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

export interface TurnsOptions<Item> {
  /** Asked each time, since they may change. */
  readonly limits: () => TurnLimits;
  /** For whom an item is, compared with `===`; `undefined`: for nobody in particular. */
  readonly clientOf: (item: Item) => unknown;
}

/**
 * Who may go and who waits, first come first served; but while others wait, no client has more than half of the turns. Knows
 * nothing of calls, time or servers.
 */
export class Turns<Item> {
  readonly #limits: () => TurnLimits;
  readonly #clientOf: (item: Item) => unknown;
  readonly #active = new Set<Item>();
  /** How many turns each client has. */
  readonly #activeOf = new Map<unknown, number>();
  /** In the order they came; a set, so that one in the middle can leave at no cost. */
  readonly #queue = new Set<Item>();
  /** Have given their turn back for a while. */
  readonly #paused = new Set<Item>();
  /** Want theirs again, before anybody who has had none. */
  readonly #returning = new Set<Item>();

  constructor({ limits, clientOf }: TurnsOptions<Item>) {
    this.#limits = limits;
    this.#clientOf = clientOf;
  }

  /** How many have their turn. */
  get active(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** All there are, those that have or had a turn first, in the order they came. */
  items(): readonly Item[] {
    return [...this.#active, ...this.#returning, ...this.#paused, ...this.#queue];
  }

  /** Whether there is no place for one more, not even to wait. */
  get isFull(): boolean {
    const { maxConcurrent, maxQueued } = this.#limits();
    return this.#active.size >= maxConcurrent && this.#queue.size >= maxQueued;
  }

  /** @returns Whether it is the item's turn at once; else it waits. To be called when there is place. */
  enter(item: Item): boolean {
    const isNow = this.#queue.size === 0 && this.#returning.size === 0 && this.#hasTurn;
    if (isNow) this.#begin(item);
    else this.#queue.add(item);
    return isNow;
  }

  /** Takes an item out, wherever it is. Ask for `next` then. */
  leave(item: Item): void {
    if (this.#end(item) || this.#queue.delete(item) || this.#paused.delete(item)) return;
    this.#returning.delete(item);
  }

  /** The item gives its turn back for a while, or does not want it again yet. Ask for `next` then. */
  pause(item: Item): void {
    if (this.#end(item) || this.#returning.delete(item)) this.#paused.add(item);
  }

  /** @returns Whether the item has its turn again at once; else it waits for that. */
  resume(item: Item): boolean {
    if (!this.#paused.delete(item)) return true;
    const isNow = this.#returning.size === 0 && this.#hasTurn;
    if (isNow) this.#begin(item);
    else this.#returning.add(item);
    return isNow;
  }

  /** The next one, if there is a turn for it: it has it now. To be called until there is none. */
  next(): Item | undefined {
    if (this.#queue.size + this.#returning.size === 0 || !this.#hasTurn) return undefined;
    const [again] = this.#returning;
    const item = again ?? (this.#nextInQueue() as Item);
    if (!this.#returning.delete(item)) this.#queue.delete(item);
    this.#begin(item);
    return item;
  }

  get #hasTurn(): boolean {
    return this.#active.size < this.#limits().maxConcurrent;
  }

  /** The first whose client does not have its half already; if all have, the first. */
  #nextInQueue(): Item | undefined {
    const half = Math.ceil(this.#limits().maxConcurrent / 2);
    const [first] = this.#queue;
    if (this.#activeOf.size === 0) return first;
    for (const item of this.#queue) if ((this.#activeOf.get(this.#clientOf(item)) ?? 0) < half) return item;
    return first;
  }

  #begin(item: Item): void {
    this.#active.add(item);
    const client = this.#clientOf(item);
    if (client !== undefined) this.#activeOf.set(client, (this.#activeOf.get(client) ?? 0) + 1);
  }

  /** @returns Whether it had a turn. */
  #end(item: Item): boolean {
    if (!this.#active.delete(item)) return false;
    const client = this.#clientOf(item);
    if (client === undefined) return true;
    const left = (this.#activeOf.get(client) ?? 1) - 1;
    if (left > 0) this.#activeOf.set(client, left);
    else this.#activeOf.delete(client);
    return true;
  }
}
