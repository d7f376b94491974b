/**
 * This node's clock in milliseconds of Unix time: the system time at the start of the process plus the monotonic time
 * since. Changes of the system time do not affect it, because other nodes compare successive values.
 */
export function nodeClockMs(): number {
  return performance.timeOrigin + performance.now();
}
