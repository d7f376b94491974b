const firstDelayMs = 250;
const maxDelayMs = 60_000;
/** From so many failures in a row on, a server is tried about once a minute: that is how many fit into a bad minute. */
const manyFailures = 5;
const parkedDelayMs = 5 * 60_000;
const firstSignInDelayMs = 5 * 60_000;
const maxSignInDelayMs = 24 * 60 * 60_000;

/**
 * Wait before the next start attempt: 250 ms, doubled with each failure, and 60 s from the fifth on. Half of it is
 * random, so that servers that fell together do not come back in step.
 *
 * @param failures - Failures in a row, from 1 on.
 * @param random - From 0 to 1.
 */
export function backoffDelayMs(failures: number, random: number): number {
  const fullMs = failures >= manyFailures ? maxDelayMs : firstDelayMs * 2 ** (failures - 1);
  return halfRandom(fullMs, random);
}

/** Wait before a parked server is tried again by itself: 5 minutes, give or take a fifth. */
export function parkedProbeDelayMs(random: number): number {
  return Math.round(parkedDelayMs * (0.8 + 0.4 * random));
}

/** Wait before a server is tried again that wants a sign-in: 5 minutes, doubled each time up to a day. */
export function signInDelayMs(retries: number, random: number): number {
  return halfRandom(Math.min(firstSignInDelayMs * 2 ** (retries - 1), maxSignInDelayMs), random);
}

function halfRandom(fullMs: number, random: number): number {
  return Math.round(fullMs / 2 + (fullMs / 2) * random);
}
