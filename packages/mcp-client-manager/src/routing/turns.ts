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

/** With fewer turns than this, a client may have all of them. */
const MIN_FOR_RESERVE = 4;

/**
 * Decides which items have a turn and which wait. Clients take turns round robin, each in the order its items came. While
 * others wait, no client gets more than half of the turns. One of four or more turns is only for a client that has none, so
 * that a client's first item never waits for another client's slow ones. In a full queue the client with the most places
 * makes room for one with fewer. Items of nobody in particular count as those of one client, without the reserved turn.
 */
export class Turns<Item> {
  readonly #limits: () => TurnLimits;
  readonly #clientOf: (item: Item) => unknown;
  readonly #active = new Set<Item>();
  /** How many turns each client has. */
  readonly #activeOf = new Map<unknown, number>();
  /** By client, the one whose turn came longest ago first; sets, so that an item in the middle can leave at no cost. */
  readonly #queues = new Map<unknown, Set<Item>>();
  #waiting = 0;
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
    return this.#waiting;
  }

  /** All there are, those that have or had a turn first, in the order they came. */
  items(): readonly Item[] {
    const waiting = Array.from(this.#queues.values(), (queue) => [...queue]).flat();
    return [...this.#active, ...this.#returning, ...this.#paused, ...waiting];
  }

  /** Whether items may be refused. */
  get isFull(): boolean {
    const { maxConcurrent, maxQueued } = this.#limits();
    return this.#waiting >= maxQueued && this.#active.size >= maxConcurrent - 1;
  }

  /** Whether there is no place for one more item of this client, not even to wait. */
  isFullFor(client: unknown): boolean {
    if (this.#waiting < this.#limits().maxQueued || this.#startsNow(client)) return false;
    return this.displacedBy(client) === undefined;
  }

  /**
   * The item that has to leave a full queue before one of this client enters: the last of the client with the most
   * places, if that has more than this client would have then. `undefined` if the item has a turn or a place without that.
   */
  displacedBy(client: unknown): Item | undefined {
    if (this.#waiting < this.#limits().maxQueued || this.#startsNow(client)) return undefined;
    let most: ReadonlySet<Item> = new Set();
    for (const queue of this.#queues.values()) if (queue.size > most.size) most = queue;
    const own = this.#queues.get(client)?.size ?? 0;
    return most.size > own + 1 ? Array.from(most).at(-1) : undefined;
  }

  /** @returns Whether it is the item's turn at once; else it waits. To be called when there is place. */
  enter(item: Item): boolean {
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

  /** Takes an item out, wherever it is. Ask for `next` then. */
  leave(item: Item): void {
    if (this.#end(item) || this.#dequeue(item) || this.#paused.delete(item)) return;
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
    // The client comes last from now on.
    if (this.#queues.delete(client.key)) this.#queues.set(client.key, client.queue);
    this.#begin(item);
    return item;
  }

  get #hasTurn(): boolean {
    return this.#active.size < this.#limits().maxConcurrent;
  }

  /** The first that does not have its half already; if all have, the first that may have a turn. */
  #nextClient(): { readonly key: unknown; readonly queue: Set<Item> } | undefined {
    let first: { readonly key: unknown; readonly queue: Set<Item> } | undefined;
    for (const [key, queue] of this.#queues) {
      if (!this.#mayHave(key)) continue;
      if (!this.#hasHalf(key)) return { key, queue };
      first ??= { key, queue };
    }
    return first;
  }

  /** An item that waits is one that cannot have a turn, so only those of the same client come before a new one. */
  #startsNow(client: unknown): boolean {
    if (this.#returning.size > 0 || this.#queues.has(client) || !this.#mayHave(client)) return false;
    return this.#waiting === 0 || !this.#hasHalf(client);
  }

  #mayHave(client: unknown): boolean {
    const { maxConcurrent } = this.#limits();
    const isNew = client === undefined || (this.#activeOf.get(client) ?? 0) === 0;
    const reserved = isNew || maxConcurrent < MIN_FOR_RESERVE ? 0 : 1;
    return this.#active.size < maxConcurrent - reserved;
  }

  #hasHalf(client: unknown): boolean {
    return (this.#activeOf.get(client) ?? 0) >= Math.ceil(this.#limits().maxConcurrent / 2);
  }

  /** @returns Whether it was waiting. */
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

  /** @returns Whether it had a turn. */
  #end(item: Item): boolean {
    if (!this.#active.delete(item)) return false;
    const client = this.#clientOf(item);
    const left = (this.#activeOf.get(client) ?? 1) - 1;
    if (left > 0) this.#activeOf.set(client, left);
    else this.#activeOf.delete(client);
    return true;
  }
}
