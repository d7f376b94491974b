import type { ServerPolicy } from '../../resolve-spec.js';
import type { RestartRules } from './after-loss.js';

const firstDelayMs = 250;
const maxDelayMs = 60_000;
const manyFailures = 5;
const parkedDelayMs = 5 * 60_000;
const firstSignInDelayMs = 5 * 60_000;
const maxSignInDelayMs = 24 * 60 * 60_000;

/**
 * 250 ms, doubled with each failure, and 60 s from the fifth on. Half is random, so that servers that failed together
 * do not restart in step.
 *
 * @param failures - Failures in a row, from 1 on.
 * @param random - From 0 to 1.
 */
export function backoffDelayMs(failures: number, random: number): number {
  const fullMs = failures >= manyFailures ? maxDelayMs : firstDelayMs * 2 ** (failures - 1);
  return halfRandom(fullMs, random);
}

/** For a parked server: 5 minutes, plus or minus a fifth. */
export function parkedProbeDelayMs(random: number): number {
  return Math.round(parkedDelayMs * (0.8 + 0.4 * random));
}

/** For a server that requires a sign-in: 5 minutes, doubled each time up to a day. */
export function signInDelayMs(retries: number, random: number): number {
  return halfRandom(Math.min(firstSignInDelayMs * 2 ** (retries - 1), maxSignInDelayMs), random);
}

function halfRandom(fullMs: number, random: number): number {
  return Math.round(fullMs / 2 + (fullMs / 2) * random);
}

export const maxHealthMisses = 3;

export function restartRules({ restart, eager }: Pick<ServerPolicy, 'restart' | 'eager'>): RestartRules {
  return {
    ...restart,
    eager,
    maxHealthMisses,
    delayMs: (failures) => backoffDelayMs(failures, Math.random()),
    parkedDelayMs: () => parkedProbeDelayMs(Math.random()),
    signInDelayMs: (retries) => signInDelayMs(retries, Math.random()),
  };
}
