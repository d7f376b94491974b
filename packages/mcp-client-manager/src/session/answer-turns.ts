import { unlessAborted } from '@x/internal/async';
import { JsonRpcError } from './json-rpc.js';

/** How many requests of one server are answered by one client at a time, and how many more may wait for that. */
const maxAnswering = 16;
const maxWaiting = 64;
/** The same for all clients together. */
const maxHeld = 1_024;
/** Our own error code for "too many requests at a time", from the range that JSON-RPC leaves to whoever implements it. */
const tooManyCode = -32_093;

/** Lets a server have so many of its requests answered by each client at a time, in the order they came. */
export class AnswerTurns {
  /** Those who are answering now. A client that does not answer holds up nobody else's answers. */
  readonly #clients = new Map<unknown, ClientTurns>();
  #held = 0;

  /**
   * @param client - Who answers; compared with `===`.
   * @throws {JsonRpcError} Too many wait already. Rejects with the signal's reason when that aborts first.
   */
  async during<Answer>(client: unknown, signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    if (this.#held >= maxHeld) throw tooMany(`${maxHeld} requests of one server at a time, of all clients together`);
    const turns = this.#clients.get(client) ?? new ClientTurns();
    this.#clients.set(client, turns);
    this.#held += 1;
    try {
      return await turns.during(signal, answer);
    } finally {
      this.#held -= 1;
      if (turns.isIdle) this.#clients.delete(client);
    }
  }
}

class ClientTurns {
  #answering = 0;
  /** Each lets one more request be answered. */
  readonly #waiting = new Set<() => void>();

  get isIdle(): boolean {
    return this.#answering === 0;
  }

  async during<Answer>(signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
    if (this.#answering >= maxAnswering) await this.#turn(signal);
    else this.#answering += 1;
    try {
      return await answer();
    } finally {
      this.#passOn();
    }
  }

  /** Waits until one that is being answered hands its place over. */
  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= maxWaiting)
      throw tooMany(`${maxAnswering} requests at a time, and ${maxWaiting} wait already`);
    let enter: (() => void) | undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
      this.#waiting.add(resolve);
    });
    try {
      await unlessAborted(entered, signal);
    } catch (reason) {
      const isWaiting = this.#waiting.delete(enter as () => void);
      if (!isWaiting) this.#passOn(); // it was its turn in the very moment
      throw reason;
    }
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    else this.#answering -= 1;
    next?.();
  }
}

function tooMany(limit: string): JsonRpcError {
  return new JsonRpcError(tooManyCode, `This host answers ${limit}`);
}
