/**
 * Milliseconds of Unix time: system time at the process start plus monotonic time since. Independent of later changes
 * of the system time, because other nodes compare successive values.
 */
export function nodeClockMs(): number {
  return performance.timeOrigin + performance.now();
}
