/** What is known of a server that left a call without an answer until the call's limit. Times by `performance.now()`. */
export interface Silence {
  /** When that call was sent. */
  readonly sentAtMs: number;
  /** When the last byte came from the server. */
  readonly lastByteAtMs: number;
  /** Whether a health check got no answer either. */
  readonly hasMissedCheck: boolean;
  /** How long a server may be silent before it is replaced. */
  readonly patienceMs: number;
}

export type SilenceVerdict =
  | { readonly kind: 'alive' }
  | { readonly kind: 'frozen' }
  /** `forMs`: when to decide again; `undefined`: after the next check. */
  | { readonly kind: 'wait'; readonly forMs?: number };

/** Timers may fire this much early, in milliseconds. */
const timerSlackMs = 20;

/**
 * Decides whether a server is frozen. Any byte since the call was sent proves that it lives: of a result, progress, a pong,
 * a log line. Without one, the server is frozen when a check was missed too and it was silent for as long as it may be.
 */
export function silenceVerdict(
  { sentAtMs, lastByteAtMs, hasMissedCheck, patienceMs }: Silence,
  nowMs: number,
): SilenceVerdict {
  if (lastByteAtMs >= sentAtMs) return { kind: 'alive' };
  if (!hasMissedCheck) return { kind: 'wait' };
  const leftMs = sentAtMs + patienceMs - nowMs;
  return leftMs <= timerSlackMs ? { kind: 'frozen' } : { kind: 'wait', forMs: leftMs };
}
