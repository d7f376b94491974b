import { unlessAborted } from '@x/internal/async';
import { JsonRpcError } from '../peer/json-rpc.js';

/** Requests of one server that one client handles at a time, and requests that may wait for it. */
const maxAnswering = 16;
const maxWaiting = 64;
/** Active and waiting requests of one server, over all clients. */
const maxTotal = 1_024;
/** Error code for "too many requests at a time", from JSON-RPC's range for implementations. */
const tooManyCode = -32_093;

/** Limits the requests of one server that each client handles at a time. Further requests wait, in order of arrival. */
export class AnswerQueue {
  /**
   * Clients with active requests. Each has a queue of its own, so that a client that never responds delays no other.
   */
  readonly #clients = new Map<unknown, ClientQueue>();
  #total = 0;

  /**
   * @param client - Identity of the client, compared with `===`.
   * @throws {JsonRpcError} The queue is full. Rejects with the signal's reason if the signal aborts first.
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
  /** Resolvers of the waiting requests, oldest first. */
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

  /** Waits until an active request hands over its place. */
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
      if (!isWaiting) this.#release(); // the request got its place while it aborted
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
