import type { FleetBus } from '../../bus.js';
import { FleetError } from '../../errors.js';
import { trySend } from '../../try-send.js';
import { messageBytes } from '../limits.js';
import { ChunkSender } from '../wire/chunks.js';
import { accepted, encodeError, encodeFinal, encodeSize } from '../wire/replies.js';
import { failureOf, shortFailure, type WireError } from '../wire/wire-error.js';
import { lengthOf, toWhole, type WrittenValue, writeValue } from '../wire/wire-value.js';

export class ReplyLine {
  readonly #bus: FleetBus;
  readonly #replyTo: string;
  #cancelScheduled: (() => void) | undefined;

  constructor(bus: FleetBus, replyTo: string) {
    this.#bus = bus;
    this.#replyTo = replyTo;
  }

  /**
   * Schedules `accepted`, before any other reply and at the latest at the end of this turn of the event loop. Immediate
   * replies share its write, because a write costs more than a message.
   *
   * @throws {FleetError} `bus-down`.
   */
  accept(): void {
    if (!this.#bus.isConnected)
      throw new FleetError('bus-down', 'The bus is disconnected, so the result could not be sent; nothing was run');
    this.#cancelScheduled = afterTurn(() => trySend(() => this.#sendAccepted()));
  }

  send(message: Uint8Array): void {
    this.#sendAccepted();
    this.#bus.publish(this.#replyTo, message);
  }

  /** Sends and ignores bus errors: the caller has its own timeout. */
  trySend(message: Uint8Array): void {
    trySend(() => this.send(message));
  }

  sendError(error: WireError): void {
    const message = encodeError(error);
    const isTooLong = message.byteLength > messageBytes(this.#bus);
    this.trySend(isTooLong && 'source' in error ? encodeError({ source: shortFailure(error.source) }) : message);
  }

  sendResult(message: Uint8Array, rest: Uint8Array | undefined): ChunkSender | undefined {
    this.trySend(message);
    return rest && new ChunkSender(rest, messageBytes(this.#bus), (chunk) => this.send(chunk));
  }

  #sendAccepted(): void {
    if (this.#cancelScheduled === undefined) return;
    this.#cancelScheduled();
    this.#cancelScheduled = undefined;
    this.#bus.publish(this.#replyTo, accepted);
  }
}

function afterTurn(task: () => void): () => void {
  if (typeof setImmediate === 'function') {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(task); // the earliest timer outside Node.js
  return () => clearTimeout(timer);
}

type WrittenResult =
  | { readonly message: Uint8Array; readonly rest?: Uint8Array | undefined; readonly error?: never }
  | { readonly error: WireError };

interface ResultBounds {
  readonly node: string;
  readonly tool: string;
  readonly maxMessageBytes: number;
  readonly maxResultBytes: number;
}

/** Encodes a result. Send the message before the next one is encoded: they share memory. */
export function writeResult(
  result: unknown,
  { node, tool, maxMessageBytes, maxResultBytes }: ResultBounds,
): WrittenResult {
  let written: WrittenValue;
  try {
    written = writeValue(result);
  } catch {
    const error = new TypeError(`The result of ${tool} cannot be written as JSON; the tool has run`);
    return { error: { source: failureOf(error) } };
  }
  const message = encodeFinal(written, Math.min(maxMessageBytes, 1 + maxResultBytes));
  if (message !== undefined) return { message };
  const rest = toWhole(written, maxResultBytes);
  if (rest !== undefined) return { message: encodeSize(rest.byteLength), rest };
  const words = `The result of ${tool} has ${lengthOf(written)} bytes or more, and the node ${node} sends at most ${maxResultBytes}; the tool has run`;
  return { error: { fleet: 'result-too-large', message: words } };
}
