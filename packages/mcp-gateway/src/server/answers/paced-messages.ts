import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { CallerTurns } from '../caller-turns.js';
import { idOf } from '../http-messages.js';
import { SMALL_BYTES, sizeOf } from '../message-sizes.js';
import { REFUSED } from '../methods/responses.js';
import { Unread, type Waiting } from './waiting-bytes.js';

interface Queued {
  /** Counted until the message is serialized. */
  readonly bytes: number;
  readonly work: () => void;
}

/**
 * Passes the messages of one response on in order. A large one counts at once, and is serialized in a turn of its
 * caller.
 */
export class PacedMessages {
  readonly #waiting: Waiting;
  readonly #turns: CallerTurns;
  readonly #queue: Queued[] = [];
  #queuedBytes = 0;

  constructor(waiting: Waiting, turns: CallerTurns) {
    this.#waiting = waiting;
    this.#turns = turns;
  }

  /**
   * Without room, an error replaces a result. Another message is dropped, and the response ends if its client has not
   * read the data before.
   *
   * @returns Rejects with `NoRoom` for a dropped message, and with errors of `write`.
   */
  pass(message: JSONRPCMessage, write: (message: JSONRPCMessage) => Promise<void> | void): Promise<void> {
    const size = sizeOf(message);
    const counts = size > SMALL_BYTES || this.#queue.length > 0;
    const hasRoom = !counts || this.#waiting.hold(size);
    if (!hasRoom && 'method' in message) {
      if (this.#waiting.bytes > this.#queuedBytes) this.#waiting.evict(new Unread());
      return Promise.reject(new NoRoom('message'));
    }
    const passed = hasRoom ? message : droppedResult(message);
    return new Promise((resolve, reject) => {
      const work = () => {
        try {
          resolve(write(passed));
        } catch (error) {
          reject(error);
        }
      };
      this.#enqueue({ bytes: counts && hasRoom ? size : 0, work });
    });
  }

  after(work: () => void): void {
    this.#enqueue({ bytes: 0, work });
  }

  #enqueue(queued: Queued): void {
    this.#queue.push(queued);
    this.#queuedBytes += queued.bytes;
    if (this.#queue.length === 1) this.#drain();
  }

  #drain({ hasTurn = false } = {}): void {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      const isLarge = next.bytes > SMALL_BYTES && !this.#waiting.isClosed;
      const turn = isLarge && !hasTurn ? this.#turns.take(this.#waiting.caller) : undefined;
      if (turn !== undefined) {
        void turn.then(() => this.#drain({ hasTurn: true }));
        return;
      }
      hasTurn = false;
      if (next.bytes > 0) this.#waiting.release(next.bytes);
      this.#queuedBytes -= next.bytes;
      next.work();
      this.#queue.shift();
    }
  }
}

class NoRoom extends Error {
  constructor(what: 'message' | 'result') {
    super(
      `The ${what} was dropped: too many bytes wait for this caller already. Read the answers, and make fewer large requests at a time.`,
    );
  }
}

export function droppedResult(message: object): JSONRPCMessage {
  return { jsonrpc: '2.0', id: idOf(message) ?? 0, error: { code: REFUSED, message: new NoRoom('result').message } };
}
