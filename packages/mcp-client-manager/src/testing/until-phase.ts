import { onAbort } from '@x/internal/async';
import type { ClientManager } from '../manager.js';
import type { ServerState } from '../supervisor/state/server-state.js';

/** How long a phase is waited for. */
export interface UntilPhaseOptions {
  /** Ends the wait; the promise rejects with the signal's reason. Default: the test's own time limit is the limit. */
  readonly signal?: AbortSignal | undefined;
}

type StateIn<Phase> = Extract<ServerState, { readonly phase: Phase }>;

/**
 * Waits until a server of a manager has got to a phase, such as `ready`, `backoff` or `parked`, without asking again and
 * again. A server that is there already counts.
 *
 * @returns The state, with what it carries: for `backoff` the `delayMs` and the `cause`.
 * @throws The reason of the signal, once that aborts.
 * @throws {Error} The manager was closed, or the server taken out of it, before it got there.
 * @throws {ManagerError} `unknown-server`.
 */
export async function untilPhase<Phase extends ServerState['phase']>(
  manager: Pick<ClientManager, 'events' | 'server'>,
  server: string,
  phase: Phase,
  { signal }: UntilPhaseOptions = {},
): Promise<StateIn<Phase>> {
  signal?.throwIfAborted();
  const ends: (() => void)[] = [];
  const state = await new Promise<ServerState>((resolve, reject) => {
    const look = (state: ServerState): void => {
      if (state.phase === phase || state.phase === 'closed') resolve(state);
    };
    const listening = manager.events.on('server-state', (event) => {
      if (event.server === server) look(event.state);
    });
    ends.push(() => listening[Symbol.dispose]());
    if (signal) ends.push(onAbort(signal, () => reject(signal.reason)));
    look(manager.server(server).lifecycle);
  }).finally(() => {
    for (const end of ends) end();
  });
  if (state.phase === phase) return state as StateIn<Phase>;
  throw new Error(`Server "${server}" was closed before it was ${phase}`);
}
