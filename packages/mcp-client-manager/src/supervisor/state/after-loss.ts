import type { RestartFields } from '@x/internal/server-fields';
import {
  type Counters,
  countersOf,
  type DownState,
  type Loss,
  type NextState,
  queued,
  type ServerState,
} from './server-state.js';

export interface RestartRules extends RestartFields {
  /** The server should always run, and so restarts after a clean exit. */
  readonly eager: boolean;
  readonly maxHealthMisses: number;
  delayMs(failures: number): number;
  parkedDelayMs(): number;
  signInDelayMs(retries: number): number;
}

const maxQuickExits = 2;

/** State after an unrequested end of a generation. */
export function afterLoss(state: ServerState, loss: Loss, rules: RestartRules): NextState {
  const { cause } = loss;
  switch (loss.kind) {
    case 'clean':
      return afterCleanExit(state, loss, rules);
    case 'transient':
      return afterFailure(state, loss, rules);
    case 'session-over':
      return queued(state, 'rest');
    case 'permanent':
      return { phase: 'failed', ...failedOnce(state), cause };
    case 'exhausted':
      return { phase: 'backoff', ...countersOf(state), delayMs: loss.delayMs, cause };
    case 'auth-required': {
      const signInRetries = state.signInRetries + 1;
      const delayMs = rules.signInDelayMs(signInRetries);
      return { phase: 'auth-required', ...countersOf(state), signInRetries, delayMs, wakesOnDemand: false, cause };
    }
  }
}

/** A server may exit by itself. Repeated exits right after the start count as crashes. */
function afterCleanExit(
  state: ServerState,
  { isQuick, cause }: Extract<Loss, { kind: 'clean' }>,
  rules: RestartRules,
): NextState {
  const numbers = { ...countersOf(state), quickExits: isQuick ? state.quickExits + 1 : 0 };
  if (numbers.quickExits >= maxQuickExits) return afterFailure(numbers, { kind: 'transient', cause }, rules);
  return rules.eager && rules.onFailure ? queued(numbers, 'rest') : { phase: 'idle', ...numbers };
}

function afterFailure(
  numbers: Counters,
  { cause, isInSleepGrace = false }: Extract<Loss, { kind: 'transient' }>,
  rules: RestartRules,
): DownState {
  const counted = isInSleepGrace ? countersOf(numbers) : failedOnce(numbers);
  if (!rules.onFailure) return { phase: 'failed', ...counted, cause };
  if (!isInSleepGrace && counted.failures > rules.maxAttempts) {
    return { phase: 'parked', ...counted, delayMs: rules.parkedDelayMs(), wakesOnDemand: false, cause };
  }
  return { phase: 'backoff', ...counted, delayMs: rules.delayMs(Math.max(counted.failures, 1)), cause };
}

function failedOnce(numbers: Counters): Counters {
  return { ...countersOf(numbers), failures: numbers.failures + 1 };
}
