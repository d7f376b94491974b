import { onAbort } from '../abort-listener.js';
import type { Session } from '../session/session.js';

interface Waiter {
  readonly resolve: (session: Session) => void;
  readonly reject: (reason: unknown) => void;
}

/** Everybody who waits for one server to be ready. All get the same answer, whatever start it comes from. */
export class ReadyWaiters {
  readonly #waiters = new Set<Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** @throws The signal's reason, when it aborts first. */
  wait(signal: AbortSignal | undefined): Promise<Session> {
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

  resolve(session: Session): void {
    for (const waiter of [...this.#waiters]) waiter.resolve(session);
  }

  reject(reason: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.reject(reason);
  }
}
