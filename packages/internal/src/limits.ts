import { milliseconds, optionTable } from './options.js';

/** A number of requests per period. */
export interface Rate {
  readonly requests: number;
  /** In milliseconds. */
  readonly perMs: number;
  /** Requests at once after a pause. Default: `requests`. */
  readonly burst?: number | undefined;
}

const count = { kind: 'number', of: 'requests', min: 1 } as const;

/** Checks a rate. */
export const rateOptions = optionTable<Rate>()({
  requests: { ...count, required: true },
  perMs: { ...milliseconds, required: true },
  burst: count,
});

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

/** Absent without a rate. */
interface Charge {
  readonly key: string;
  readonly rate: Rate | undefined;
}

const FIRST_SWEEP = 1_000;

/** Token buckets by key. Removes full ones periodically, so that those of former callers do not accumulate. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt = FIRST_SWEEP;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Takes one token from each bucket, or none if any bucket is empty.
   *
   * @returns 0, or the milliseconds until all of them have a token.
   */
  consume(charges: readonly Charge[]): number {
    const buckets = charges.flatMap(({ key, rate }) => (rate === undefined ? [] : [this.#bucket(key, rate)]));
    const waitMs = Math.max(0, ...buckets.map((bucket) => bucket.waitMs()));
    if (waitMs > 0) return waitMs;
    for (const bucket of buckets) bucket.take();
    return 0;
  }

  #bucket(key: string, rate: Rate): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#sweepAt) this.#sweep();
    const bucket = new TokenBucket(rate, this.#now);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #sweep(): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFull) this.#buckets.delete(key);
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#buckets.size);
  }
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
