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
 * The condition as a connection, for hosts that show no more. Servers that were never started, were stopped or are
 * disabled are `disconnected`.
 */
export function connectionStatusOf(state: ServerState): 'disconnected' | 'connecting' | 'connected' | 'error' {
  switch (conditionOf(state)) {
    case 'stopped':
    case 'stopping':
      return 'disconnected';
    case 'starting':
      return 'connecting';
    case 'running':
    case 'degraded':
      return 'connected';
    case 'failed':
      return 'error';
  }
}
