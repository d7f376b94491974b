import type { WaitingLimits } from '../answers/waiting-bytes.js';
import type { QueueBounds } from '../queue-bounds.js';
import { checkWhole, MAX_TIMER_MS } from '../whole-numbers.js';
import type { ShareLimits } from './caller-shares.js';

/** How long a client may take nothing of what waits for it. */
export const DEFAULT_STALL_MS = 60_000;

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

/** Bodies of this many times the largest one may be under way at a time for one caller. */
const LARGEST_BODIES = 16;

/** @throws {TypeError} naming the option that is out of its bounds. */
export function resolveHttpLimits(
  {
    maxBodyBytes = 4 * 1024 * 1024,
    bodyTimeoutMs = 30_000,
    maxSessions = 4_000,
    sessionIdleMs: idleMs = 30 * 60_000,
    maxSubscriptions = 4_000,
    maxSessionsPerCaller,
    maxStreamsPerCaller,
    maxRequestsPerCaller = 2_000,
    keepAliveMs = 15_000,
    maxQueuedBytes = 4 * 1024 * 1024,
    maxWaitingBytes = 256 * 1024 * 1024,
    maxWaitingBytesPerCaller,
    maxStallMs = DEFAULT_STALL_MS,
  }: HttpLimitOptions,
  { hasOneCaller }: { readonly hasOneCaller: boolean },
): HttpLimits {
  checkWhole({ maxBodyBytes, maxSessions, maxSubscriptions, maxQueuedBytes, maxWaitingBytes }, Number.MAX_SAFE_INTEGER);
  const shareOf = (all: number) => (hasOneCaller ? Number.MAX_SAFE_INTEGER : Math.ceil(all / 2));
  const sessions = maxSessionsPerCaller ?? shareOf(maxSessions);
  const waitingPerCaller =
    maxWaitingBytesPerCaller ?? (hasOneCaller ? maxWaitingBytes : Math.ceil(maxWaitingBytes / 4));
  const streams = maxStreamsPerCaller ?? shareOf(maxSubscriptions);
  checkWhole(
    {
      maxSessionsPerCaller: sessions,
      maxStreamsPerCaller: streams,
      maxRequestsPerCaller,
      maxWaitingBytesPerCaller: waitingPerCaller,
    },
    Number.MAX_SAFE_INTEGER,
  );
  checkWhole({ sessionIdleMs: idleMs, keepAliveMs, maxStallMs, bodyTimeoutMs }, MAX_TIMER_MS);
  return {
    maxBodyBytes,
    bodyTimeoutMs,
    maxSessions,
    idleMs,
    maxSubscriptions,
    keepAliveMs,
    queue: { maxQueuedBytes, maxStallMs },
    waiting: { perCaller: waitingPerCaller, all: maxWaitingBytes },
    perCaller: { sessions, streams, requests: maxRequestsPerCaller, bodyBytes: LARGEST_BODIES * maxBodyBytes },
  };
}
