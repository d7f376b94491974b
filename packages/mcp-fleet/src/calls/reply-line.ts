import type { FleetBus } from '../bus.js';
import { FleetError } from '../errors.js';
import { trySend } from '../try-send.js';
import { ChunkSender } from './chunks.js';
import { messageBytes } from './limits.js';
import { accepted, encodeError } from './replies.js';
import { shortFailure, type WireError } from './wire-error.js';

/** Sends the replies of one call to the calling node. */
export class ReplyLine {
  readonly #bus: FleetBus;
  readonly #replyTo: string;
  /** Cancels the scheduled `accepted` reply. */
  #holdBack: (() => void) | undefined;

  constructor(bus: FleetBus, replyTo: string) {
    this.#bus = bus;
    this.#replyTo = replyTo;
  }

  /**
   * Schedules `accepted`, before any other reply and at the latest at the end of this turn of the event loop. Replies
   * that a tool sends at once share its write, because a write costs more than a message.
   *
   * @throws {FleetError} `bus-down`.
   */
  accept(): void {
    if (!this.#bus.isConnected) throw new FleetError('bus-down', 'Nobody would hear what the tool answers');
    this.#holdBack = afterTurn(() => trySend(() => this.#sayAccepted()));
  }

  /** @throws {FleetError} Error of the bus. */
  send(message: Uint8Array): void {
    this.#sayAccepted();
    this.#bus.publish(this.#replyTo, message);
  }

  /** Sends and ignores bus errors: the caller has its own timeout. */
  tell(message: Uint8Array): void {
    trySend(() => this.send(message));
  }

  tellError(error: WireError): void {
    const message = encodeError(error);
    const isTooLong = message.byteLength > messageBytes(this.#bus);
    this.tell(isTooLong && 'source' in error ? encodeError({ source: shortFailure(error.source) }) : message);
  }

  /** @returns Sender of the remaining result, if any. */
  tellResult(message: Uint8Array, rest: Uint8Array | undefined): ChunkSender | undefined {
    this.tell(message);
    return rest && new ChunkSender(rest, messageBytes(this.#bus), (chunk) => this.send(chunk));
  }

  #sayAccepted(): void {
    if (this.#holdBack === undefined) return;
    this.#holdBack();
    this.#holdBack = undefined;
    this.#bus.publish(this.#replyTo, accepted);
  }
}

/** @returns Function that cancels the task. */
function afterTurn(task: () => void): () => void {
  if (typeof setImmediate === 'function') {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(task); // the earliest timer outside Node.js
  return () => clearTimeout(timer);
}
