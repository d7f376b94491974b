import { aimOf, type ServerState } from './server-state.js';

/** What a person is told about a server. The fine phases are for events, logs and tests. */
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
 * The state of a server in three words, for hosts that show no more. What rests on purpose connects when it is called,
 * so it counts as `connecting`; what is out of service or closed never will, so that is an `error`.
 */
export function connectionStatusOf(state: ServerState): 'connecting' | 'connected' | 'error' {
  const condition = conditionOf(state);
  const { phase } = aimOf(state);
  if (condition === 'failed' || phase === 'disabled' || phase === 'closed') return 'error';
  return condition === 'running' || condition === 'degraded' ? 'connected' : 'connecting';
}
