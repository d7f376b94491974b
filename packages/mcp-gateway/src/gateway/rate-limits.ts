import { ProtocolError } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { type Rate, TokenBucket } from '@x/internal/limits';
import { checkOption, milliseconds, optionTable } from '@x/internal/options';
import { REFUSED } from '../server/methods/results.js';

/**
 * Rate limits of requests to servers: tools, resources, subscriptions, prompts, completions, tasks. Lists, searches and
 * the app's own tools are free. A request over a limit fails before it reaches a server, with `data` of `reason:
 * 'rate-limited'` and `retryAfterMs`.
 */
export interface RateLimitOptions {
  /** One limit for each role, or limits by name of the role. Requests without a role share one. Default: no limit. */
  readonly perRole?: Rate | Readonly<Record<string, Rate>> | undefined;
  /** Limit of each principal. Default: no limit. */
  readonly perPrincipal?: Rate | undefined;
  /** Limits by name of the server, for all callers together. Default: no limit. */
  readonly perServer?: Readonly<Record<string, Rate>> | undefined;
}

export interface RateLimitPolicy {
  readonly ofRole: (role: string) => Rate | undefined;
  readonly ofPrincipal: Rate | undefined;
  readonly ofServer: (server: string) => Rate | undefined;
}

interface RatedRequest {
  readonly role: string | undefined;
  readonly principal: string | undefined;
  readonly server: string;
}

const rateLimits = optionTable<RateLimitOptions>()({
  perRole: { kind: 'object' },
  perPrincipal: { kind: 'object' },
  perServer: { kind: 'object' },
});
const count = { kind: 'number', of: 'requests', min: 1 } as const;
const rateOptions = optionTable<Rate>()({
  requests: { ...count, required: true },
  perMs: { ...milliseconds, required: true },
  burst: count,
});
const rateCheck = {
  kind: 'other',
  check: (given: unknown) => (isRate(given) ? undefined : 'a rate, { requests, perMs }'),
} as const;

/** @throws {TypeError} naming the option that is unknown or out of bounds. */
export function resolveRateLimits(given?: RateLimitOptions): RateLimitPolicy {
  const { perRole, perPrincipal, perServer } = rateLimits.read(given, 'rateLimits.');
  const roles = perRole === undefined || isRate(perRole) ? undefined : checkRates('rateLimits.perRole', perRole);
  const everyRole = isRate(perRole) ? checkRate('rateLimits.perRole', perRole) : undefined;
  const servers = perServer === undefined ? undefined : checkRates('rateLimits.perServer', perServer);
  return {
    ofRole: (role) => everyRole ?? roles?.get(role),
    ofPrincipal: perPrincipal === undefined ? undefined : checkRate('rateLimits.perPrincipal', perPrincipal),
    ofServer: (server) => servers?.get(server),
  };
}

export class RateLimits {
  readonly #policy: RateLimitPolicy;
  readonly #buckets: TokenBuckets;

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(policy: RateLimitPolicy, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#buckets = new TokenBuckets(now);
  }

  /**
   * @param onLimited - Called before it throws.
   * @throws {ProtocolError} if the request exceeds a limit.
   */
  consume({ role = '', principal, server }: RatedRequest, onLimited?: () => void): void {
    const { ofRole, ofPrincipal, ofServer } = this.#policy;
    const waitMs = this.#buckets.consume([
      { key: `role ${role}`, rate: ofRole(role) },
      { key: `principal ${principal}`, rate: principal === undefined ? undefined : ofPrincipal },
      { key: `server ${server}`, rate: ofServer(server) },
    ]);
    if (waitMs === 0) return;
    onLimited?.();
    const retryAfterMs = Math.ceil(waitMs);
    throw new ProtocolError(REFUSED, `Too many requests; try again in ${retryAfterMs} milliseconds`, {
      reason: 'rate-limited',
      retryAfterMs,
    });
  }
}

function isRate(value: unknown): value is Rate {
  return isRecord(value) && (typeof value.requests === 'number' || typeof value.perMs === 'number');
}

function checkRates(option: string, rates: Readonly<Record<string, unknown>>): ReadonlyMap<string, Rate> {
  return new Map(Object.entries(rates).map(([name, rate]) => [name, checkRate(`${option}.${name}`, rate)]));
}

function checkRate(option: string, rate: unknown): Rate {
  checkOption(option, rateCheck, rate);
  return rateOptions.read(rate as Rate, `${option}.`);
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
