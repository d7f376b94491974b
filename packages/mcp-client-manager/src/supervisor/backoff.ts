const firstDelayMs = 250;
const maxDelayMs = 60_000;

/**
 * Wait before the next start attempt: 250 ms, doubled with each failure up to 60 s, half of it random, so that servers
 * that fell together do not come back in step.
 *
 * @param failures - Failures in a row, from 1 on.
 * @param random - From 0 to 1.
 */
export function backoffDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.round(fullMs / 2 + (fullMs / 2) * random);
}
