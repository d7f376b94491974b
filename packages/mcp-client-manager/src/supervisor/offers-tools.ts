import type { ServerState } from './server-state.js';

/**
 * A server that rests on purpose and wakes when it is called still offers its tools. One that fell does not, until it
 * is back.
 */
export function offersTools(state: ServerState, { autoStart }: { readonly autoStart: boolean }): boolean {
  switch (state.phase) {
    case 'ready':
      return true;
    case 'idle':
      return autoStart;
    case 'queued':
    case 'starting':
      return state.after === 'rest';
    case 'draining':
    case 'stopping':
      return offersTools(state.next, { autoStart });
    default:
      return false;
  }
}
