import type { ServerPolicy } from '../../resolve-spec.js';
import type { RestartRules } from './after-loss.js';
import { backoffDelayMs, parkedProbeDelayMs, signInDelayMs } from './backoff.js';

export const maxHealthMisses = 3;

/** What a spec says about restarts, with real luck in the delays. */
export function restartRules({ restartOnFailure, eager, maxRestartAttempts }: ServerPolicy): RestartRules {
  return {
    restartOnFailure,
    eager,
    maxRestartAttempts,
    maxHealthMisses,
    delayMs: (failures) => backoffDelayMs(failures, Math.random()),
    parkedDelayMs: () => parkedProbeDelayMs(Math.random()),
    signInDelayMs: (retries) => signInDelayMs(retries, Math.random()),
  };
}
