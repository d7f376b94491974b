import type { FleetBus } from '../bus.js';
import { FleetError } from '../errors.js';
import { trySend } from '../try-send.js';
import { ChunkSender } from './chunks.js';
import { messageBytes } from './limits.js';
import { accepted, encodeError } from './replies.js';
import { shortFailure, type WireError } from './wire-error.js';

/** The way back to the node that calls. */
export class ReplyLine {
  readonly #bus: FleetBus;
  readonly #replyTo: string;
  /** Takes back what is to be said at the end of the turn. */
  #holdBack: (() => void) | undefined;

  constructor(bus: FleetBus, replyTo: string) {
    this.#bus = bus;
    this.#replyTo = replyTo;
  }

  /**
   * Says that the tool is being run: before anything else is said, and at the latest when this turn of the event loop is
   * over. What a tool answers at once is written to the bus together with it, for a write takes longer than a message.
   *
   * @throws {FleetError} `bus-down`.
   */
  accept(): void {
    if (!this.#bus.isConnected) throw new FleetError('bus-down', 'Nobody would hear what the tool answers');
    this.#holdBack = afterTurn(() => trySend(() => this.#sayAccepted()));
  }

  /** @throws {FleetError} what the bus throws. */
  send(message: Uint8Array): void {
    this.#sayAccepted();
    this.#bus.publish(this.#replyTo, message);
  }

  /** What is lost with the bus is missed by nobody: the other side keeps the time itself. */
  tell(message: Uint8Array): void {
    trySend(() => this.send(message));
  }

  tellError(error: WireError): void {
    const message = encodeError(error);
    const isTooLong = message.byteLength > messageBytes(this.#bus);
    this.tell(isTooLong && 'source' in error ? encodeError({ source: shortFailure(error.source) }) : message);
  }

  /** @returns What sends the rest of a result, when it has one. */
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

/** @returns What takes it back. */
function afterTurn(task: () => void): () => void {
  if (typeof setImmediate === 'function') {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(task); // browsers, and others that are not Node.js, have nothing sooner
  return () => clearTimeout(timer);
}
