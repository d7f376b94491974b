/** So many requests in so long. */
export interface Rate {
  readonly requests: number;
  /** In milliseconds. */
  readonly perMs: number;
  /** How many may come at once after a pause. Default: as many as `requests`. */
  readonly burst?: number | undefined;
}

/** What one request counts against; nothing if it has no rate. */
export interface Charge {
  readonly key: string;
  readonly rate: Rate | undefined;
}

interface Bucket {
  readonly rate: Rate;
  tokens: number;
  filledAt: number;
}

const FIRST_SWEEP = 1_000;

/** Buckets that fill with time. A full one is the same as none, so that those of callers who have gone do not add up. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = FIRST_SWEEP;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Takes one token of each, or of none if any has none left.
   *
   * @returns 0, or how long it is until all of them have one, in milliseconds.
   */
  take(charges: readonly Charge[]): number {
    const buckets = charges.flatMap(({ key, rate }) => (rate === undefined ? [] : [this.#bucket(key, rate)]));
    const waitMs = Math.max(0, ...buckets.map(({ tokens, rate }) => (1 - tokens) * (rate.perMs / rate.requests)));
    if (waitMs > 0) return waitMs;
    for (const bucket of buckets) bucket.tokens -= 1;
    return 0;
  }

  #bucket(key: string, rate: Rate): Bucket {
    const now = this.#now();
    const known = this.#buckets.get(key);
    if (known !== undefined) return fill(known, now);
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
    const bucket = { rate, tokens: burstOf(rate), filledAt: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #sweep(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (fill(bucket, now).tokens >= burstOf(bucket.rate)) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#buckets.size);
  }
}

function fill(bucket: Bucket, now: number): Bucket {
  const { rate, tokens, filledAt } = bucket;
  bucket.tokens = Math.min(burstOf(rate), tokens + ((now - filledAt) * rate.requests) / rate.perMs);
  bucket.filledAt = now;
  return bucket;
}

function burstOf({ requests, burst = requests }: Rate): number {
  return burst;
}
