/** A number of requests per period. */
export interface Rate {
  readonly requests: number;
  /** In milliseconds. */
  readonly perMs: number;
  /** Requests at once after a pause. Default: `requests`. */
  readonly burst?: number | undefined;
}

/** Rounding errors of the bucket's arithmetic, in tokens. */
const ROUNDING = 1e-9;

/** A token bucket. Starts full. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param now - Milliseconds of a monotonic clock. Default: `performance.now()`. */
  constructor(rate: Rate, now = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#tokens = burstOf(rate);
    this.#filledAt = now();
  }

  /** Removes one token, if there is one. */
  take(): boolean {
    if (this.waitMs() > 0) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until there is a token; 0 if there is one. */
  waitMs(): number {
    this.#fill();
    const missing = 1 - this.#tokens;
    return missing <= ROUNDING ? 0 : missing * (this.#rate.perMs / this.#rate.requests);
  }

  get isFull(): boolean {
    this.#fill();
    return this.#tokens >= burstOf(this.#rate);
  }

  #fill(): void {
    const now = this.#now();
    const { requests, perMs } = this.#rate;
    this.#tokens = Math.min(burstOf(this.#rate), this.#tokens + ((now - this.#filledAt) * requests) / perMs);
    this.#filledAt = now;
  }
}

function burstOf({ requests, burst = requests }: Rate): number {
  return burst;
}

/** A map of at most `max` entries. A further entry evicts the oldest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** A replaced value keeps its age. */
  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.delete(this.keys().next().value as Key);
    return this;
  }

  /** As `set`, but the entry always becomes the newest. */
  renew(key: Key, value: Value): this {
    this.delete(key);
    return this.set(key, value);
  }
}
