import type { JsonRpcMessage } from '@x/internal/contracts';
import { ChannelClosedError, type MessageChannel } from '../transport/message-channel.js';

/**
 * How much of answers and notifications waits for a server which does not read, in characters; more is left out. A server
 * that asks without ever reading the answers would fill the host's memory with them otherwise. Requests are bounded by
 * whoever makes them.
 */
const maxHeldLength = 8 * 1_024 * 1_024;

interface Held {
  readonly message: JsonRpcMessage;
  /** 0 for a request. */
  readonly length: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes messages in order, and holds them back while the server does not read. One that is given up by then is not written. */
export class Outbox {
  readonly #channel: MessageChannel;
  #held: Held[] = [];
  #heldLength = 0;
  #isClosed = false;

  constructor(channel: MessageChannel) {
    this.#channel = channel;
  }

  /** Resolves when the message is handed over, or nobody wants it any more. Rejects with `ChannelClosedError`. */
  async send(message: JsonRpcMessage): Promise<void> {
    const { drained } = this.#channel;
    if (this.#held.length === 0 && !drained) return this.#channel.send(message);
    if (this.#isClosed) throw closed();
    if (this.#takesBack(message)) return;
    const length = isRequest(message) ? 0 : JSON.stringify(message).length;
    if (length > 0 && this.#heldLength + length > maxHeldLength) return;
    this.#heldLength += length;
    await new Promise<void>((resolve, reject) => {
      this.#held.push({ message, length, resolve, reject });
      if (this.#held.length === 1) void drained?.then(() => this.#writeOn());
    });
  }

  /** Whether the request of this id waits here. */
  holds(id: number): boolean {
    return this.#held.some(({ message }) => isRequest(message) && message.id === id);
  }

  /** Fails what was not written. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#held.splice(0)) reject(closed());
  }

  /** Whether it is the cancellation of a request that was not written: neither needs to be then. */
  #takesBack({ method, params }: JsonRpcMessage): boolean {
    if (method !== 'notifications/cancelled') return false;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    const index = this.#held.findIndex(({ message }) => isRequest(message) && message.id === requestId);
    if (index < 0) return false;
    for (const { resolve } of this.#held.splice(index, 1)) resolve();
    return true;
  }

  #writeOn(): void {
    while (this.#held.length > 0) {
      const { drained } = this.#channel;
      if (drained) {
        void drained.then(() => this.#writeOn());
        return;
      }
      const { message, length, resolve, reject } = this.#held.shift() as Held;
      this.#heldLength -= length;
      this.#channel.send(message).then(resolve, reject);
    }
  }
}

function isRequest({ id, method }: JsonRpcMessage): boolean {
  return id !== undefined && method !== undefined;
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('The server did not read it before the connection ended');
}
