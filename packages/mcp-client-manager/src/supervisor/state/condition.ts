import { aimOf, type ServerState } from './server-state.js';

/** One word for people. Phases are for events, logs and tests. */
export type ServerCondition = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed';

export function conditionOf(state: ServerState): ServerCondition {
  switch (state.phase) {
    case 'disabled':
    case 'idle':
    case 'closed':
      return 'stopped';
    case 'queued':
    case 'starting':
    case 'backoff':
      return 'starting';
    case 'ready':
      return state.misses === 0 && state.catalog === 'complete' ? 'running' : 'degraded';
    case 'draining':
    case 'stopping': {
      const aim = conditionOf(aimOf(state));
      return aim === 'stopped' ? 'stopping' : aim;
    }
    case 'parked':
    case 'auth-required':
    case 'failed':
      return 'failed';
  }
}

/**
 * The condition in three words, for hosts that show no more. An idle server connects on demand and counts as
 * `connecting`; a disabled or closed one never does and counts as `error`.
 */
export function connectionStatusOf(state: ServerState): 'connecting' | 'connected' | 'error' {
  const condition = conditionOf(state);
  const { phase } = aimOf(state);
  if (condition === 'failed' || phase === 'disabled' || phase === 'closed') return 'error';
  return condition === 'running' || condition === 'degraded' ? 'connected' : 'connecting';
}
