export type ShareKind = 'requests' | 'streams' | 'sessions' | 'bodyBytes';

export const AT_LIMIT = 'This caller has as many requests or streams under way as it may have; try again later';

export type ShareLimits = Readonly<Record<ShareKind, number>>;

/** Counts the resources that each caller uses, so that none exhausts the total. */
export class CallerShares {
  readonly #limits: ShareLimits;
  readonly #taken = new Map<string, Record<ShareKind, number>>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Returns `false`, without a change, if the caller would exceed its limit. */
  take(caller: string, kind: ShareKind, amount: number): boolean {
    const taken = this.#taken.get(caller) ?? { requests: 0, streams: 0, sessions: 0, bodyBytes: 0 };
    if (taken[kind] + amount > this.#limits[kind]) return false;
    taken[kind] += amount;
    this.#taken.set(caller, taken);
    return true;
  }

  giveBack(caller: string, kind: ShareKind, amount: number): void {
    const taken = this.#taken.get(caller);
    if (taken === undefined) return;
    taken[kind] -= amount;
    if (Object.values(taken).every((count) => count === 0)) this.#taken.delete(caller);
  }

  get size(): number {
    return this.#taken.size;
  }
}

/** The resources of one exchange or session, released together. */
export class Share {
  readonly #shares: CallerShares;
  readonly #caller: string;
  readonly #taken = new Map<ShareKind, number>();
  #isOver = false;

  constructor(shares: CallerShares, caller: string) {
    this.#shares = shares;
    this.#caller = caller;
  }

  /** Refuses after the release: nothing would release it again. */
  take(kind: ShareKind, amount = 1): boolean {
    if (this.#isOver || !this.#shares.take(this.#caller, kind, amount)) return false;
    this.#taken.set(kind, (this.#taken.get(kind) ?? 0) + amount);
    return true;
  }

  giveBack(): void {
    this.#isOver = true;
    for (const [kind, amount] of this.#taken) this.#shares.giveBack(this.#caller, kind, amount);
    this.#taken.clear();
  }
}
