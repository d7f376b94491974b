import { onAbort } from '@x/internal/async';
import type { ClientManager } from '../manager.js';
import type { ServerState } from '../supervisor/state/server-state.js';

/** Options of `untilPhase`. */
export interface UntilPhaseOptions {
  /** Ends the wait; the promise rejects with the signal's reason. Default: no limit but the test's own. */
  readonly signal?: AbortSignal | undefined;
}

type StateIn<Phase> = Extract<ServerState, { readonly phase: Phase }>;

/**
 * Waits for a phase of a server, such as `ready`, `backoff` or `parked`, without polling. Resolves at once in that
 * phase.
 *
 * @returns The state with its details, such as `delayMs` and `cause` of `backoff`.
 * @throws The signal's reason, once that aborts.
 * @throws {Error} The manager was closed, or the server removed, before the phase.
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
    const check = (state: ServerState): void => {
      if (state.phase === phase || state.phase === 'closed') resolve(state);
    };
    const listening = manager.events.on('server-state', (event) => {
      if (event.server === server) check(event.state);
    });
    ends.push(() => listening[Symbol.dispose]());
    if (signal) ends.push(onAbort(signal, () => reject(signal.reason)));
    check(manager.server(server).lifecycle);
  }).finally(() => {
    for (const end of ends) end();
  });
  if (state.phase === phase) return state as StateIn<Phase>;
  throw new Error(`Server "${server}" was closed before it was ${phase}`);
}
