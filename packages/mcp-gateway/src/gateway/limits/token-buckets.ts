import { type Rate, TokenBucket } from '@x/internal/limits';

/** Absent without a rate. */
export interface Charge {
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
  take(charges: readonly Charge[]): number {
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
