import { unlessAborted } from '@x/internal/async';
import { JsonRpcError } from '../peer/json-rpc.js';

/** Limits per client, for the requests of one server. */
const maxAnswering = 16;
const maxWaiting = 64;
/** Limit over all clients. */
const maxTotal = 1_024;
/** "Too many requests at a time", from JSON-RPC's range for implementations. */
const tooManyCode = -32_093;

/** Limits the requests that each client handles at a time. Further requests wait in order. */
export class AnswerQueue {
  /** A queue per client: one that never responds delays no other. */
  readonly #clients = new Map<unknown, ClientQueue>();
  #total = 0;

  /**
   * @param client - Compared with `===`.
   * @throws {JsonRpcError} The queue is full. Rejects with the signal's reason if it aborts first.
   */
  async during<Answer>(client: unknown, signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    if (this.#total >= maxTotal) throw tooMany(`${maxTotal} requests of one server in progress over all clients`);
    const turns = this.#clients.get(client) ?? new ClientQueue();
    this.#clients.set(client, turns);
    this.#total += 1;
    try {
      return await turns.during(signal, answer);
    } finally {
      this.#total -= 1;
      if (turns.isIdle) this.#clients.delete(client);
    }
  }
}

class ClientQueue {
  #answering = 0;
  readonly #waiting = new Set<() => void>();

  get isIdle(): boolean {
    return this.#answering === 0;
  }

  async during<Answer>(signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
    if (this.#answering >= maxAnswering) await this.#acquire(signal);
    else this.#answering += 1;
    try {
      return await answer();
    } finally {
      this.#release();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= maxWaiting)
      throw tooMany(`${maxAnswering} requests of one server in progress and ${maxWaiting} waiting`);
    let enter: (() => void) | undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
      this.#waiting.add(resolve);
    });
    try {
      await unlessAborted(entered, signal);
    } catch (reason) {
      const isWaiting = this.#waiting.delete(enter as () => void);
      if (!isWaiting) this.#release(); // it got its place while it aborted
      throw reason;
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    else this.#answering -= 1;
    next?.();
  }
}

function tooMany(limit: string): JsonRpcError {
  return new JsonRpcError(tooManyCode, `The client has ${limit}, which is its limit. Retry later.`);
}
