import { onAbort } from '@x/internal/async';
import type { ServerPolicy } from '../resolve-spec.js';
import type { Session } from '../session/session.js';
import { refusalOf, startRefusalOf } from './generation/refusal.js';
import type { ServerState } from './state/server-state.js';

interface Waiter {
  /** A start fails with the first health check; a call waits for further ones. */
  readonly isStart: boolean;
  readonly resolve: (session: Session) => void;
  readonly reject: (reason: unknown) => void;
}

interface AwaitedServer {
  readonly server: ServerPolicy;
  readonly state: ServerState;
  readonly readySession: Session | undefined;
}

export class ReadyWaiters {
  readonly #awaited: AwaitedServer;
  readonly #onFirst: () => void;
  readonly #waiters = new Set<Waiter>();

  /** @param onFirst - Called for a waiter without an earlier one. */
  constructor(awaited: AwaitedServer, onFirst: () => void) {
    this.#awaited = awaited;
    this.#onFirst = onFirst;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /**
   * The session of a ready server. Waits for a start in progress; starts none.
   *
   * @param isStart - The user or the host has requested the start.
   * @throws {ManagerError} The reason why the server will not become ready.
   */
  wait(signal: AbortSignal | undefined, { isStart = false } = {}): Promise<Session> {
    const { state, server, readySession } = this.#awaited;
    if (readySession) return Promise.resolve(readySession);
    const refusal = refusalOf(state, { ...server, isWaiting: false });
    return refusal ? Promise.reject(refusal) : this.#join(signal, isStart);
  }

  /** Call it after each state change. */
  settle(previous: ServerState): void {
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

  refuseStarts(reason: unknown): void {
    for (const waiter of [...this.#waiters]) if (waiter.isStart) waiter.reject(reason);
  }

  #join(signal: AbortSignal | undefined, isStart: boolean): Promise<Session> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const remove = (): void => {
        this.#waiters.delete(waiter);
        ignoreSignal?.();
      };
      const waiter: Waiter = {
        isStart,
        resolve: (session) => {
          remove();
          resolve(session);
        },
        reject: (reason) => {
          remove();
          reject(reason);
        },
      };
      this.#waiters.add(waiter);
      const ignoreSignal = signal && onAbort(signal, () => waiter.reject(signal.reason));
      if (this.#waiters.size === 1) this.#onFirst();
    });
  }
}
