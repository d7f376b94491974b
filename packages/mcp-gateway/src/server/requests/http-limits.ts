import { bytes, milliseconds, type OptionRows, type Resolved } from '@x/internal/options';
import type { WaitingLimits } from '../answers/waiting-bytes.js';
import { type QueueBounds, stallRow } from '../queue-bounds.js';
import type { ShareLimits } from './caller-shares.js';

/** How much may be under way at a time, and for how long. */
export interface HttpLimitOptions {
  /** Largest body of a request, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long the body of a request may take to arrive, in milliseconds. Default 30 000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Most sessions of clients of the revisions before 2026-07-28. One that is idle for longest makes room. Default 4000. */
  readonly maxSessions?: number | undefined;
  /** How long a session may be without an open request or stream, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /** Most open `subscriptions/listen` of clients of the 2026-07-28 revision. Default 4000. */
  readonly maxSubscriptions?: number | undefined;
  /** Most sessions of one caller. Default half of `maxSessions`; no bound of its own for an only caller. */
  readonly maxSessionsPerCaller?: number | undefined;
  /** Most open streams of changes of one caller, of either era. Default half of `maxSubscriptions`; none for an only one. */
  readonly maxStreamsPerCaller?: number | undefined;
  /** Most requests of one caller that are being answered at a time. Default 2000. */
  readonly maxRequestsPerCaller?: number | undefined;
  /** How often a quiet stream is written to, in milliseconds, so that nothing on the way gives it up. Default 15 000. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Most that may wait for a client that does not read its stream, in bytes. One more message, and the stream and what
   * was working for it end. A single message may be larger. Default 4 MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Most bytes that wait for one caller in all its streams, answers and sessions. At the limit its streams and answers
   * that took nothing for the longest time end; a new one ends itself if none took nothing for a second. One message may
   * exceed the limit. Default a quarter of `maxWaitingBytes`, or all of it for an only caller.
   */
  readonly maxWaitingBytesPerCaller?: number | undefined;
  /** Most bytes that wait for all callers. At the limit the caller with the most bytes makes room. Default 256 MiB. */
  readonly maxWaitingBytes?: number | undefined;
  /** How long something may wait for a client that takes nothing, in milliseconds; then its stream ends. Default 60 000. */
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
  maxRequestsPerCaller: { ...count, default: 2_000 },
  keepAliveMs: { ...milliseconds, default: 15_000 },
  maxQueuedBytes: { ...bytes, default: 4 * MIB },
  maxWaitingBytes: { ...bytes, default: 256 * MIB },
  maxWaitingBytesPerCaller: bytes,
  maxStallMs: stallRow,
} as const satisfies OptionRows<HttpLimitOptions>;

/** Bodies of this many times the largest one may be under way at a time for one caller. */
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
