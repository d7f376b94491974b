interface QueueLimits {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

interface FairQueueOptions<Item> {
  /** Read on each use: limits may change. */
  readonly limits: () => QueueLimits;
  readonly clientOf: (item: Item) => unknown;
}

/** With fewer turns than this, one caller may have all of them. */
const minForReserve = 4;

/**
 * Fair queue with limited concurrency. Callers take turns round robin. While others wait, no caller gets more than half
 * of the turns. One of four or more turns is reserved for callers without one, so that a first item never waits for
 * slow items of another caller. In a full queue the caller with the most places makes room for one with fewer.
 * Anonymous items count as one caller, without the reserved turn.
 */
export class FairQueue<Item> {
  readonly #limits: () => QueueLimits;
  readonly #clientOf: (item: Item) => unknown;
  readonly #active = new Set<Item>();
  readonly #activeOf = new Map<unknown, number>();
  /** By caller, longest unserved first. Sets make removal from the middle cheap. */
  readonly #queues = new Map<unknown, Set<Item>>();
  #waiting = 0;
  readonly #paused = new Set<Item>();
  readonly #returning = new Set<Item>();

  constructor({ limits, clientOf }: FairQueueOptions<Item>) {
    this.#limits = limits;
    this.#clientOf = clientOf;
  }

  get active(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** First the items that have or had a turn, then those that wait. */
  items(): readonly Item[] {
    const waiting = Array.from(this.#queues.values(), (queue) => [...queue]).flat();
    return [...this.#active, ...this.#returning, ...this.#paused, ...waiting];
  }

  get isFull(): boolean {
    const { maxConcurrent, maxQueued } = this.#limits();
    return this.#waiting >= maxQueued && this.#active.size >= maxConcurrent - 1;
  }

  /** True if the caller gets neither a turn nor a place. */
  isFullFor(client: unknown): boolean {
    if (this.#waiting < this.#limits().maxQueued || this.#startsNow(client)) return false;
    return this.displacedBy(client) === undefined;
  }

  /**
   * The item that leaves a full queue for this caller: the last one of the caller with the most places, if that has
   * more than this caller.
   */
  displacedBy(client: unknown): Item | undefined {
    if (this.#waiting < this.#limits().maxQueued || this.#startsNow(client)) return undefined;
    let most: ReadonlySet<Item> = new Set();
    for (const queue of this.#queues.values()) if (queue.size > most.size) most = queue;
    const own = this.#queues.get(client)?.size ?? 0;
    return most.size > own + 1 ? Array.from(most).at(-1) : undefined;
  }

  /**
   * The queue must have room.
   * @returns Whether the item has a turn at once.
   */
  add(item: Item): boolean {
    const client = this.#clientOf(item);
    const isNow = this.#startsNow(client);
    if (isNow) {
      this.#begin(item);
      return true;
    }
    const queue = this.#queues.get(client) ?? new Set();
    this.#queues.set(client, queue.add(item));
    this.#waiting++;
    return false;
  }

  /** Removes an item in any state. Call `next` afterwards. */
  remove(item: Item): void {
    if (this.#end(item) || this.#dequeue(item) || this.#paused.delete(item)) return;
    this.#returning.delete(item);
  }

  /** Releases the turn of an item, or withdraws its `resume`. Call `next` afterwards. */
  pause(item: Item): void {
    if (this.#end(item) || this.#returning.delete(item)) this.#paused.add(item);
  }

  /** @returns Whether the item has its turn at once; otherwise `next` returns it later. */
  resume(item: Item): boolean {
    if (!this.#paused.delete(item)) return true;
    const isNow = this.#returning.size === 0 && this.#hasTurn;
    if (isNow) this.#begin(item);
    else this.#returning.add(item);
    return isNow;
  }

  /** Gives a turn to the next item. Call until it returns `undefined`. */
  next(): Item | undefined {
    if (!this.#hasTurn) return undefined;
    const [again] = this.#returning;
    if (again !== undefined) {
      this.#returning.delete(again);
      this.#begin(again);
      return again;
    }
    const client = this.#nextClient();
    const [item] = client?.queue ?? [];
    if (client === undefined || item === undefined) return undefined;
    this.#dequeue(item);
    if (this.#queues.delete(client.key)) this.#queues.set(client.key, client.queue);
    this.#begin(item);
    return item;
  }

  get #hasTurn(): boolean {
    return this.#active.size < this.#limits().maxConcurrent;
  }

  #nextClient(): { readonly key: unknown; readonly queue: Set<Item> } | undefined {
    let first: { readonly key: unknown; readonly queue: Set<Item> } | undefined;
    for (const [key, queue] of this.#queues) {
      if (!this.#canHaveTurn(key)) continue;
      if (!this.#hasHalfOfTurns(key)) return { key, queue };
      first ??= { key, queue };
    }
    return first;
  }

  /** Waiting items of other callers cannot start now. */
  #startsNow(client: unknown): boolean {
    if (this.#returning.size > 0 || this.#queues.has(client) || !this.#canHaveTurn(client)) return false;
    return this.#waiting === 0 || !this.#hasHalfOfTurns(client);
  }

  #canHaveTurn(client: unknown): boolean {
    const { maxConcurrent } = this.#limits();
    const isNew = client === undefined || (this.#activeOf.get(client) ?? 0) === 0;
    const reserved = isNew || maxConcurrent < minForReserve ? 0 : 1;
    return this.#active.size < maxConcurrent - reserved;
  }

  #hasHalfOfTurns(client: unknown): boolean {
    return (this.#activeOf.get(client) ?? 0) >= Math.ceil(this.#limits().maxConcurrent / 2);
  }

  #dequeue(item: Item): boolean {
    const client = this.#clientOf(item);
    const queue = this.#queues.get(client);
    if (!queue?.delete(item)) return false;
    this.#waiting--;
    if (queue.size === 0) this.#queues.delete(client);
    return true;
  }

  #begin(item: Item): void {
    this.#active.add(item);
    const client = this.#clientOf(item);
    this.#activeOf.set(client, (this.#activeOf.get(client) ?? 0) + 1);
  }

  #end(item: Item): boolean {
    if (!this.#active.delete(item)) return false;
    const client = this.#clientOf(item);
    const left = (this.#activeOf.get(client) ?? 1) - 1;
    if (left > 0) this.#activeOf.set(client, left);
    else this.#activeOf.delete(client);
    return true;
  }
}
