import { onAbort } from '@x/internal/async';
import type { ServerPolicy } from '../resolve-spec.js';
import type { Session } from '../session/session.js';
import { refusalOf, startRefusalOf } from './generation/refusal.js';
import type { ServerState } from './state/server-state.js';

interface Waiter {
  readonly resolve: (session: Session) => void;
  readonly reject: (reason: unknown) => void;
}

/** The server that they wait for, as it is now. */
export interface AwaitedServer {
  readonly server: ServerPolicy;
  readonly state: ServerState;
  /** Present while the server takes calls. */
  readonly readySession: Session | undefined;
}

/** Everybody who waits for one server to be ready. All get the same answer, whatever start it comes from. */
export class ReadyWaiters {
  readonly #awaited: AwaitedServer;
  readonly #waiters = new Set<Waiter>();

  /** @param awaited - Looked at each time, since it changes. */
  constructor(awaited: AwaitedServer) {
    this.#awaited = awaited;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /**
   * The session of a ready server. Waits for a start that is under way; begins none.
   * @throws {ManagerError} Why the server will not get ready by waiting for it. Rejects with the signal's reason when that
   * aborts first.
   */
  wait(signal: AbortSignal | undefined): Promise<Session> {
    const { state, server, readySession } = this.#awaited;
    if (readySession) return Promise.resolve(readySession);
    const refusal = refusalOf(state, { ...server, isWaiting: false });
    return refusal ? Promise.reject(refusal) : this.#join(signal);
  }

  /** To be called after each change of the state: tells those who wait what it means to them, if anything. */
  tell(previous: ServerState): void {
    const { state, server, readySession } = this.#awaited;
    if (readySession) {
      for (const waiter of [...this.#waiters]) waiter.resolve(readySession);
      return;
    }
    const hasStartFailed = previous.phase === 'starting' && state.phase === 'stopping';
    const context = { ...server, isWaiting: true };
    const refusal = hasStartFailed ? startRefusalOf(state, context) : refusalOf(state, context);
    if (refusal) for (const waiter of [...this.#waiters]) waiter.reject(refusal);
  }

  #join(signal: AbortSignal | undefined): Promise<Session> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        ignoreSignal?.();
      };
      const waiter: Waiter = {
        resolve: (session) => {
          leave();
          resolve(session);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#waiters.add(waiter);
      const ignoreSignal = signal && onAbort(signal, () => waiter.reject(signal.reason));
    });
  }
}
