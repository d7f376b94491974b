/** Silence of a server that let a call time out. Times by `performance.now()`. */
interface Silence {
  readonly sentAtMs: number;
  readonly lastByteAtMs: number;
  readonly hasMissedCheck: boolean;
  readonly silenceLimitMs: number;
}

type SilenceVerdict =
  | { readonly kind: 'alive' }
  | { readonly kind: 'frozen' }
  /** Without `forMs`: until the next check. */
  | { readonly kind: 'wait'; readonly forMs?: number };

/** Timers may fire this much early. */
const timerSlackMs = 20;

/**
 * Any byte since the call proves life: a result, progress, a pong, a log line. Otherwise the server is frozen after a
 * missed check and the longest silence.
 */
export function silenceVerdict(
  { sentAtMs, lastByteAtMs, hasMissedCheck, silenceLimitMs }: Silence,
  nowMs: number,
): SilenceVerdict {
  if (lastByteAtMs >= sentAtMs) return { kind: 'alive' };
  if (!hasMissedCheck) return { kind: 'wait' };
  const leftMs = sentAtMs + silenceLimitMs - nowMs;
  return leftMs <= timerSlackMs ? { kind: 'frozen' } : { kind: 'wait', forMs: leftMs };
}
