/** Failures of the connection in a row after which calls are refused for a while. */
const maxFailures = 5;
/** How long they are refused before one call may try again, in milliseconds: unless the server says, and within bounds. */
const openForMs = { usual: 30_000, min: 1_000, max: 300_000 };
/** When to ask again while one call finds out whether the connection works, in milliseconds. */
const probeForMs = 1_000;

/**
 * Whether calls are let through. `closed`: all of them. `open`: none until `untilMs`. `probing`: one is under way, and
 * what becomes of it decides.
 */
export type BreakerState =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly untilMs: number }
  | { readonly phase: 'probing' };

export type BreakerInput =
  /** A call was let through. */
  | { readonly type: 'admitted' }
  /** The server answered, if only with an error. */
  | { readonly type: 'answered' }
  /** The connection failed under a call, or who is at its end had no time and said, or did not say, when to come back. */
  | { readonly type: 'failed'; readonly atMs: number; readonly retryAfterMs?: number | undefined }
  /** A call ended before it could tell anything of the connection. */
  | { readonly type: 'gave-up'; readonly atMs: number };

type Failure = Extract<BreakerInput, { type: 'failed' }>;

export const closedBreaker: BreakerState = { phase: 'closed', failures: 0 };

/** Milliseconds until a call may be worth it: 0 when one is let through now. */
export function refusedForMs(state: BreakerState, nowMs: number): number {
  if (state.phase === 'closed') return 0;
  return state.phase === 'probing' ? probeForMs : Math.max(0, state.untilMs - nowMs);
}

/** Decides what comes next. Has no timers and no clock, so any history can be tested. */
export function nextBreaker(state: BreakerState, input: BreakerInput): BreakerState {
  switch (input.type) {
    case 'admitted': // while it is open this is the one that finds out
      return state.phase === 'open' ? { phase: 'probing' } : state;
    case 'answered':
      return closedBreaker;
    case 'failed':
      return afterFailure(state, input);
    case 'gave-up': // the next one may find out, at once
      return state.phase === 'probing' ? { phase: 'open', untilMs: input.atMs } : state;
  }
}

function afterFailure(state: BreakerState, { atMs, retryAfterMs = openForMs.usual }: Failure): BreakerState {
  if (state.phase === 'open') return state; // of a call from before
  const failures = state.phase === 'closed' ? state.failures + 1 : maxFailures;
  if (failures < maxFailures) return { phase: 'closed', failures };
  return { phase: 'open', untilMs: atMs + Math.min(Math.max(retryAfterMs, openForMs.min), openForMs.max) };
}
