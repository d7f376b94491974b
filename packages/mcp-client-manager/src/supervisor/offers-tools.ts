import type { ServerState } from './next-state.js';

/** A server that rests on purpose and wakes when it is called still offers its tools; one that fell does not. */
export function offersTools(state: ServerState, { autoStart }: { readonly autoStart: boolean }): boolean {
  switch (state.phase) {
    case 'ready':
      return true;
    case 'idle':
      return autoStart;
    case 'starting':
      return state.after === 'rest';
    case 'stopping':
      return offersTools(state.then, { autoStart });
    default:
      return false;
  }
}
