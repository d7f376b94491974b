/** A timer that fires this much later than it was due, in milliseconds, means that the host slept or was held up. */
const lateMs = 1_000;
/** How long the server has to be silent before input counts as read on a host that was held up, in milliseconds. */
const quietMs = 100;
/** How long that may take at most, in milliseconds. */
const maxReadingMs = 5_000;

export interface Reading {
  /** When the timer was due, by `performance.now()`. */
  readonly dueMs: number;
  /** When the last byte came from the server; `undefined` when there is no connection to read from. */
  readonly lastByteAtMs: () => number | undefined;
  /** Whether there is nothing to decide any more. */
  readonly isOver: () => boolean;
}

/**
 * Calls `decide` when the input that has come by now is read. Node runs timers before it reads: on a host that slept, an
 * answer that came in time may still lie in the pipe when the limit of its call is over.
 */
export function afterInput({ dueMs, lastByteAtMs, isOver }: Reading, decide: () => void): void {
  const beganMs = performance.now();
  const isLate = beganMs - dueMs > lateMs;
  const decideNow = (): void => {
    if (!isOver()) decide();
  };
  const look = (heardAtMs: number | undefined): void => {
    if (isOver()) return;
    const nowMs = lastByteAtMs();
    if (nowMs === heardAtMs || performance.now() - beganMs > maxReadingMs) decide();
    else setTimeout(look, quietMs, nowMs).unref();
  };
  setImmediate(() => {
    if (isLate && !isOver()) setTimeout(look, quietMs, lastByteAtMs()).unref();
    else decideNow();
  });
}
