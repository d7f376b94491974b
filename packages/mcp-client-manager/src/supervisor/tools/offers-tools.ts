import type { ServerState } from '../state/server-state.js';

/**
 * Whether calls find the server, be it after a wait: one that rests on purpose wakes when it is called, and one that fell
 * is about to come back. One that has been given up offers nothing until it works again.
 */
export function offersTools(state: ServerState, { autoStart }: { readonly autoStart: boolean }): boolean {
  switch (state.phase) {
    case 'ready':
    case 'backoff':
      return true;
    case 'idle':
      return autoStart;
    case 'queued':
    case 'starting':
      return state.after !== 'failure';
    case 'draining':
    case 'stopping':
      return offersTools(state.next, { autoStart });
    default:
      return false;
  }
}
