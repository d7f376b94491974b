/**
 * Unix milliseconds: system time at the process start plus monotonic time, because other nodes compare successive
 * values.
 */
export function nodeClockMs(): number {
  return performance.timeOrigin + performance.now();
}
