/** Consecutive failures after which calls are refused. */
const maxFailures = 5;
/** Time until one call may try again. The bounds apply to the server's own value. */
const openForMs = { usual: 30_000, min: 1_000, max: 300_000 };
const probeForMs = 1_000;

/** `closed`: admits all calls. `open`: refuses all until `untilMs`. `probing`: one call decides. */
export type BreakerState =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly untilMs: number }
  | { readonly phase: 'probing' };

export type BreakerInput =
  | { readonly type: 'admitted' }
  /** The server responded, even with an error. */
  | { readonly type: 'answered' }
  /** The connection failed during a call, or the server was overloaded. */
  | { readonly type: 'failed'; readonly atMs: number; readonly retryAfterMs?: number | undefined }
  /** A call ended without information about the connection. */
  | { readonly type: 'gave-up'; readonly atMs: number };

type Failure = Extract<BreakerInput, { type: 'failed' }>;

export const closedBreaker: BreakerState = { phase: 'closed', failures: 0 };

/** @returns 0 when a call is admitted now. */
export function refusedForMs(state: BreakerState, nowMs: number): number {
  if (state.phase === 'closed') return 0;
  return state.phase === 'probing' ? probeForMs : Math.max(0, state.untilMs - nowMs);
}

export function nextBreaker(state: BreakerState, input: BreakerInput): BreakerState {
  switch (input.type) {
    case 'admitted': // the first call while open is the probe
      return state.phase === 'open' ? { phase: 'probing' } : state;
    case 'answered':
      return closedBreaker;
    case 'failed':
      return afterFailure(state, input);
    case 'gave-up':
      return state.phase === 'probing' ? { phase: 'open', untilMs: input.atMs } : state;
  }
}

function afterFailure(state: BreakerState, { atMs, retryAfterMs = openForMs.usual }: Failure): BreakerState {
  if (state.phase === 'open') return state;
  const failures = state.phase === 'closed' ? state.failures + 1 : maxFailures;
  if (failures < maxFailures) return { phase: 'closed', failures };
  return { phase: 'open', untilMs: atMs + Math.min(Math.max(retryAfterMs, openForMs.min), openForMs.max) };
}
