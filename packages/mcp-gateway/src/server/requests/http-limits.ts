import { bytes, milliseconds, type OptionRows, type Resolved } from '@x/internal/options';
import { type QueueBounds, stallRow } from '../message-sizes.js';
import type { WaitingLimits } from '../responses/waiting-bytes.js';

export const DEFAULT_MAX_REQUESTS = 2_000;

/** Limits of concurrency, memory and time. */
export interface HttpLimitOptions {
  /** Maximum size of a request body, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Time limit for receiving a request body, in milliseconds. Default 30 000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Maximum number of sessions (revisions before 2026-07-28). Evicts the longest idle one. Default 4000. */
  readonly maxSessions?: number | undefined;
  /** Time after which a session without an open request or stream ends, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /** Maximum number of open `subscriptions/listen` (revision 2026-07-28). Default 4000. */
  readonly maxSubscriptions?: number | undefined;
  /** Maximum number of sessions of one caller. Default half of `maxSessions`; unlimited for a single caller. */
  readonly maxSessionsPerCaller?: number | undefined;
  /**
   * Maximum number of change streams of one caller, in any revision. Default half of `maxSubscriptions`; unlimited for
   * a single caller.
   */
  readonly maxStreamsPerCaller?: number | undefined;
  /** Maximum number of requests of one caller in progress. Default 2000. */
  readonly maxRequestsPerCaller?: number | undefined;
  /** Interval of keep-alives on a quiet stream, in milliseconds. Default 15 000. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Maximum pending bytes of one stream. One more message ends the stream and its work. A single message may be larger.
   * Default 4 MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Maximum pending bytes of one caller. At the limit, its longest stalled streams and responses end; a new one ends
   * itself if all others progressed within a second. One message may exceed the limit. Default a quarter of
   * `maxWaitingBytes`, or all of it for a single caller.
   */
  readonly maxWaitingBytesPerCaller?: number | undefined;
  /**
   * Maximum pending bytes of all callers. At the limit, streams and responses of the caller with the most bytes end.
   * Default 256 MiB.
   */
  readonly maxWaitingBytes?: number | undefined;
  /** Time without progress after which a stream with pending data ends, in milliseconds. Default 60 000. */
  readonly maxStallMs?: number | undefined;
}

export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly queue: QueueBounds;
  readonly waiting: WaitingLimits;
  readonly perCaller: ShareLimits;
}

const MIB = 1024 * 1024;
const count = { kind: 'number', min: 1 } as const;
export const limitRows = {
  maxBodyBytes: { ...bytes, default: 4 * MIB },
  bodyTimeoutMs: { ...milliseconds, default: 30_000 },
  maxSessions: { ...count, default: 4_000 },
  sessionIdleMs: { ...milliseconds, default: 30 * 60_000 },
  maxSubscriptions: { ...count, default: 4_000 },
  maxSessionsPerCaller: count,
  maxStreamsPerCaller: count,
  maxRequestsPerCaller: { ...count, default: DEFAULT_MAX_REQUESTS },
  keepAliveMs: { ...milliseconds, default: 15_000 },
  maxQueuedBytes: { ...bytes, default: 4 * MIB },
  maxWaitingBytes: { ...bytes, default: 256 * MIB },
  maxWaitingBytesPerCaller: bytes,
  maxStallMs: stallRow,
} as const satisfies OptionRows<HttpLimitOptions>;

const LARGEST_BODIES = 16;

export function resolveHttpLimits(
  options: Resolved<HttpLimitOptions, typeof limitRows>,
  { hasOneCaller }: { readonly hasOneCaller: boolean },
): HttpLimits {
  const { maxBodyBytes, bodyTimeoutMs, maxSessions, maxSubscriptions, keepAliveMs, maxWaitingBytes: all } = options;
  const shareOf = (whole: number) => (hasOneCaller ? Number.MAX_SAFE_INTEGER : Math.ceil(whole / 2));
  return {
    maxBodyBytes,
    bodyTimeoutMs,
    maxSessions,
    idleMs: options.sessionIdleMs,
    maxSubscriptions,
    keepAliveMs,
    queue: { maxQueuedBytes: options.maxQueuedBytes, maxStallMs: options.maxStallMs },
    waiting: { perCaller: options.maxWaitingBytesPerCaller ?? (hasOneCaller ? all : Math.ceil(all / 4)), all },
    perCaller: {
      sessions: options.maxSessionsPerCaller ?? shareOf(maxSessions),
      streams: options.maxStreamsPerCaller ?? shareOf(maxSubscriptions),
      requests: options.maxRequestsPerCaller,
      bodyBytes: LARGEST_BODIES * maxBodyBytes,
    },
  };
}

type ShareKind = 'requests' | 'streams' | 'sessions' | 'bodyBytes';

export const AT_LIMIT = 'This caller has reached its limit of requests or streams in progress; retry later';

type ShareLimits = Readonly<Record<ShareKind, number>>;

/** Counts the resources that each caller uses, so that none exhausts the total. */
export class CallerShares {
  readonly #limits: ShareLimits;
  readonly #used = new Map<string, Record<ShareKind, number>>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Returns `false`, without a change, if the caller would exceed its limit. */
  acquire(caller: string, kind: ShareKind, amount: number): boolean {
    const taken = this.#used.get(caller) ?? { requests: 0, streams: 0, sessions: 0, bodyBytes: 0 };
    if (taken[kind] + amount > this.#limits[kind]) return false;
    taken[kind] += amount;
    this.#used.set(caller, taken);
    return true;
  }

  release(caller: string, kind: ShareKind, amount: number): void {
    const taken = this.#used.get(caller);
    if (taken === undefined) return;
    taken[kind] -= amount;
    if (Object.values(taken).every((count) => count === 0)) this.#used.delete(caller);
  }

  get size(): number {
    return this.#used.size;
  }
}

/** The resources of one exchange or session, released together. */
export class Share {
  readonly #shares: CallerShares;
  readonly #caller: string;
  readonly #used = new Map<ShareKind, number>();
  #isOver = false;

  constructor(shares: CallerShares, caller: string) {
    this.#shares = shares;
    this.#caller = caller;
  }

  /** Refuses after the release: nothing would release it again. */
  acquire(kind: ShareKind, amount = 1): boolean {
    if (this.#isOver || !this.#shares.acquire(this.#caller, kind, amount)) return false;
    this.#used.set(kind, (this.#used.get(kind) ?? 0) + amount);
    return true;
  }

  release(): void {
    this.#isOver = true;
    for (const [kind, amount] of this.#used) this.#shares.release(this.#caller, kind, amount);
    this.#used.clear();
  }
}
