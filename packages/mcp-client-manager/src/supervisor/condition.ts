import type { ServerState } from './next-state.js';

/** What a person is told about a server. The fine phases are for events, logs and tests. */
export type ServerCondition = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed';

export function conditionOf(state: ServerState): ServerCondition {
  switch (state.phase) {
    case 'idle':
    case 'closed':
      return 'stopped';
    case 'starting':
    case 'backoff':
      return 'starting';
    case 'ready':
      return state.misses === 0 && state.catalog === 'complete' ? 'running' : 'degraded';
    case 'stopping':
      return state.then.phase === 'idle' || state.then.phase === 'closed' ? 'stopping' : conditionOf(state.then);
    case 'parked':
    case 'failed':
      return 'failed';
  }
}
