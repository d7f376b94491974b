import { ProtocolError } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { type Rate, rateOptions, TokenBuckets } from '@x/internal/limits';
import { checkOption, optionTable } from '@x/internal/options';
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
