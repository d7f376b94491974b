/** A timer this late means that the machine slept or the process was blocked. */
const lateMs = 1_000;
/** After this silence all input counts as read. */
const quietMs = 100;
const maxReadingMs = 5_000;

interface Reading {
  readonly dueMs: number;
  readonly lastByteAtMs: () => number | undefined;
  readonly isOver: () => boolean;
}

/**
 * Node runs timers before reads: after a sleep, a punctual response may still be in the pipe when its deadline fires.
 */
export function afterInput({ dueMs, lastByteAtMs, isOver }: Reading, decide: () => void): void {
  const beganMs = performance.now();
  const isLate = beganMs - dueMs > lateMs;
  const decideNow = (): void => {
    if (!isOver()) decide();
  };
  const check = (beforeMs: number | undefined): void => {
    if (isOver()) return;
    const nowMs = lastByteAtMs();
    if (nowMs === beforeMs || performance.now() - beganMs > maxReadingMs) decide();
    else setTimeout(check, quietMs, nowMs).unref();
  };
  setImmediate(() => {
    if (isLate && !isOver()) setTimeout(check, quietMs, lastByteAtMs()).unref();
    else decideNow();
  });
}
