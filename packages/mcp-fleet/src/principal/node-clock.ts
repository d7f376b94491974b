/**
 * This node's clock, in milliseconds of Unix time: what the machine's clock said when the process began, and what has
 * passed since. Others compare what it says with what it said before, so it goes on evenly when the machine's is set.
 */
export function nodeClockMs(): number {
  return performance.timeOrigin + performance.now();
}
