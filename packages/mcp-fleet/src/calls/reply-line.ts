import type { FleetBus } from '../bus.js';
import { isFleetError } from '../errors.js';
import { ChunkSender } from './chunks.js';
import { messageBytes } from './limits.js';
import { encodeError, encodeSize } from './replies.js';
import { shortFailure, type WireError } from './wire-error.js';

/** The way back to the host that calls. */
export class ReplyLine {
  readonly #bus: FleetBus;
  readonly #replyTo: string;

  constructor(bus: FleetBus, replyTo: string) {
    this.#bus = bus;
    this.#replyTo = replyTo;
  }

  /** @throws {FleetError} what the bus throws. */
  send(message: Uint8Array): void {
    this.#bus.publish(this.#replyTo, message);
  }

  /** What is lost with the bus is missed by nobody: the other side keeps the time itself. */
  tell(message: Uint8Array): void {
    try {
      this.send(message);
    } catch (error) {
      if (!isFleetError(error)) throw error;
    }
  }

  tellError(error: WireError): void {
    const message = encodeError(error);
    const isTooLong = message.byteLength > messageBytes(this.#bus);
    this.tell(isTooLong && 'source' in error ? encodeError({ source: shortFailure(error.source) }) : message);
  }

  /**
   * Sends a result in one message, if that takes it.
   *
   * @returns What sends the parts, when it does not.
   */
  tellResult(message: Uint8Array): ChunkSender | undefined {
    const maxBytes = messageBytes(this.#bus);
    if (message.byteLength <= maxBytes) {
      this.tell(message);
      return undefined;
    }
    const whole = message.subarray(1);
    this.tell(encodeSize(whole.byteLength));
    return new ChunkSender(whole, maxBytes, (chunk) => this.send(chunk));
  }
}
