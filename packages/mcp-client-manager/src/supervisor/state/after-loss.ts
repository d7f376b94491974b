import {
  type Loss,
  type NextState,
  type Numbers,
  numbersOf,
  queued,
  type RestingState,
  type ServerState,
} from './server-state.js';

export interface RestartRules {
  readonly restartOnFailure: boolean;
  /** Whether the server is to run all the time, so that it also comes back after it has left by itself. */
  readonly eager: boolean;
  /** Failures that are not forgotten yet, from which on the next one parks the server. */
  readonly maxRestartAttempts: number;
  /** Misses in a row after which a server counts as dead. */
  readonly maxHealthMisses: number;
  /** Wait before the next attempt after `failures` failures in a row, in milliseconds. */
  delayMs(failures: number): number;
  /** Wait before a parked server is tried again, in milliseconds. */
  parkedDelayMs(): number;
  /** Wait before a server is tried again that has asked for a sign-in `retries` times in a row, in milliseconds. */
  signInDelayMs(retries: number): number;
}

/** Clean exits in a row, each within a minute of the start, from which on they count as failures. */
const maxQuickExits = 2;

/** What a server comes to when its generation has ended by itself and is gone. */
export function afterLoss(state: ServerState, loss: Loss, rules: RestartRules): NextState {
  const { cause } = loss;
  switch (loss.kind) {
    case 'clean':
      return afterLeaving(state, loss, rules);
    case 'transient':
      return afterFailure(state, loss, rules);
    case 'session-over':
      return queued(state, 'rest');
    case 'permanent':
      return { phase: 'failed', ...failedOnce(state), cause };
    case 'exhausted':
      return { phase: 'backoff', ...numbersOf(state), delayMs: loss.delayMs, cause };
    case 'auth-required': {
      const signInRetries = state.signInRetries + 1;
      const delayMs = rules.signInDelayMs(signInRetries);
      return { phase: 'auth-required', ...numbersOf(state), signInRetries, delayMs, wakesOnDemand: false, cause };
    }
  }
}

/** A server may end by itself. One that does so again and again right after its start is no better than one that crashes. */
function afterLeaving(
  state: ServerState,
  { isQuick, cause }: Extract<Loss, { kind: 'clean' }>,
  rules: RestartRules,
): NextState {
  const numbers = { ...numbersOf(state), quickExits: isQuick ? state.quickExits + 1 : 0 };
  if (numbers.quickExits >= maxQuickExits) return afterFailure(numbers, { kind: 'transient', cause }, rules);
  return rules.eager && rules.restartOnFailure ? queued(numbers, 'rest') : { phase: 'idle', ...numbers };
}

function afterFailure(
  numbers: Numbers,
  { cause, earlyExit, isExcused = false }: Extract<Loss, { kind: 'transient' }>,
  rules: RestartRules,
): RestingState {
  const counted = isExcused ? numbersOf(numbers) : { ...failedOnce(numbers), earlyExit };
  if (!rules.restartOnFailure) return { phase: 'failed', ...counted, cause };
  const isSameEnd = earlyExit !== undefined && earlyExit === numbers.earlyExit;
  if (!isExcused && (isSameEnd || counted.failures > rules.maxRestartAttempts)) {
    return { phase: 'parked', ...counted, delayMs: rules.parkedDelayMs(), wakesOnDemand: false, cause };
  }
  return { phase: 'backoff', ...counted, delayMs: rules.delayMs(Math.max(counted.failures, 1)), cause };
}

function failedOnce(numbers: Numbers): Numbers {
  return { ...numbersOf(numbers), failures: numbers.failures + 1 };
}
