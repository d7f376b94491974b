import { checkWhole, MAX_TIMER_MS } from './whole-numbers.js';

export interface HttpLimitOptions {
  /** Largest body of a request, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Most sessions of clients of the revisions before 2026-07-28. The one that is idle for longest makes room. Default 1000. */
  readonly maxSessions?: number | undefined;
  /** How long a session may be without an open request or stream, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /** Most open `subscriptions/listen` of clients of the 2026-07-28 revision. Default 1000. */
  readonly maxSubscriptions?: number | undefined;
  /** How often a quiet stream is written to, in milliseconds, so that nothing on the way gives it up. Default 15 000. */
  readonly keepAliveMs?: number | undefined;
}

export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
}

export function resolveHttpLimits({
  maxBodyBytes = 4 * 1024 * 1024,
  maxSessions = 1_000,
  sessionIdleMs: idleMs = 30 * 60_000,
  maxSubscriptions = 1_000,
  keepAliveMs = 15_000,
}: HttpLimitOptions): HttpLimits {
  checkWhole({ maxBodyBytes, maxSessions, maxSubscriptions }, Number.MAX_SAFE_INTEGER);
  checkWhole({ sessionIdleMs: idleMs, keepAliveMs }, MAX_TIMER_MS);
  return { maxBodyBytes, maxSessions, idleMs, maxSubscriptions, keepAliveMs };
}
