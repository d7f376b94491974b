/** What callers have under way. */
export type ShareKind = 'requests' | 'streams' | 'sessions' | 'bodyBytes';

export type ShareLimits = Readonly<Record<ShareKind, number>>;

/** Counts what each caller has under way, so that none uses up what is there for all. Forgets who has nothing. */
export class CallerShares {
  readonly #limits: ShareLimits;
  readonly #taken = new Map<string, Record<ShareKind, number>>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** @returns `false`, and nothing is taken, if the caller would have more than is allowed. */
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

  /** How many callers have anything under way. */
  get size(): number {
    return this.#taken.size;
  }
}

/** What one exchange or session of a caller takes, to be given back together. */
export class Share {
  readonly #shares: CallerShares;
  readonly #caller: string;
  readonly #taken = new Map<ShareKind, number>();
  #isOver = false;

  constructor(shares: CallerShares, caller: string) {
    this.#shares = shares;
    this.#caller = caller;
  }

  /** Nothing can be taken any more once it was given back: what is late would never be given back. */
  take(kind: ShareKind, amount = 1): boolean {
    if (this.#isOver || !this.#shares.take(this.#caller, kind, amount)) return false;
    this.#taken.set(kind, (this.#taken.get(kind) ?? 0) + amount);
    return true;
  }

  /** May be called twice. */
  giveBack(): void {
    this.#isOver = true;
    for (const [kind, amount] of this.#taken) this.#shares.giveBack(this.#caller, kind, amount);
    this.#taken.clear();
  }
}
