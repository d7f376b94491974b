import type { Writable } from 'node:stream';
import { GatewayError } from '../../errors.js';
import { HELD_BYTES, PIECE_BYTES, type QueueBounds } from '../queue-bounds.js';

/** Maximum number of written pieces that stay in the queue. */
const MOST_DONE = 1_024;

const UTF8 = new TextEncoder();

/**
 * Output for a client that may read slowly or not at all. Pending data is bounded by size, where only the last message
 * may exceed the bound, since one result may be larger than many notifications; and by the time without progress.
 */
export class StdioOutput {
  readonly #stream: Writable;
  readonly #bounds: QueueBounds;
  readonly #onFailed: (reason: Error) => void;
  #queue: Uint8Array[] = [];
  /** Index of the next piece. */
  #next = 0;
  #queuedBytes = 0;
  /** Passed to the stream, which has not written them yet. */
  #piecesUnderWay = 0;
  #stalled: ReturnType<typeof setTimeout> | undefined;
  #phase: 'open' | 'ending' | 'over' = 'open';
  #ending: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  /** @param onFailed - Called once: the client exceeds a bound, or is gone, and nothing more is written. */
  constructor(stream: Writable, bounds: QueueBounds, onFailed: (reason: Error) => void) {
    this.#stream = stream;
    this.#bounds = bounds;
    this.#onFailed = onFailed;
  }

  write(text: string): void {
    if (this.#phase !== 'open') return;
    const { maxQueuedBytes, maxStallMs } = this.#bounds;
    if (this.#queuedBytes > maxQueuedBytes) {
      this.#giveUp(notReading(`more than ${maxQueuedBytes} bytes are waiting for it`));
      return;
    }
    const bytes = UTF8.encode(text);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#queue.push(bytes.subarray(at, at + PIECE_BYTES));
    this.#queuedBytes += heldBytes(bytes.length);
    this.#stalled ??= setTimeout(
      () => this.#giveUp(notReading(`it took nothing for ${maxStallMs} milliseconds`)),
      maxStallMs,
    );
    this.#pump();
  }

  /** Resolves once everything has been written, or after the grace period. Nothing more is written then. Idempotent. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#finish(graceMs);
    return this.#ending;
  }

  async #finish(graceMs: number): Promise<void> {
    if (this.#phase === 'open') this.#phase = 'ending';
    clearTimeout(this.#stalled);
    if (this.#phase === 'ending' && !this.#isTaken) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    this.#drop();
  }

  get #isTaken(): boolean {
    return this.#piecesUnderWay === 0 && this.#next === this.#queue.length;
  }

  /** Passes no more to the stream than it accepts: passed data cannot be taken back. */
  #pump(): void {
    while (this.#next < this.#queue.length && !this.#stream.writableNeedDrain) {
      const piece = this.#queue[this.#next++] as Uint8Array; // there are more, as just checked
      this.#piecesUnderWay += 1;
      this.#stream.write(piece, (error) => this.#onTaken(piece.length, error));
    }
    // From time to time: written pieces are released, and a long queue is not moved for each of them.
    if (this.#next < this.#queue.length && this.#next < MOST_DONE) return;
    this.#queue = this.#queue.slice(this.#next);
    this.#next = 0;
  }

  #onTaken(bytes: number, error: Error | null | undefined): void {
    this.#piecesUnderWay -= 1;
    if (this.#phase === 'over') return;
    if (error) {
      this.#giveUp(error);
      return;
    }
    this.#queuedBytes -= heldBytes(bytes);
    this.#pump();
    if (!this.#isTaken) {
      if (this.#phase === 'open') this.#stalled?.refresh();
      return;
    }
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#wake?.();
  }

  #giveUp(reason: Error): void {
    const wasOpen = this.#phase === 'open';
    this.#drop();
    this.#wake?.();
    if (wasOpen) this.#onFailed(reason);
  }

  #drop(): void {
    this.#phase = 'over';
    clearTimeout(this.#stalled);
    this.#queue = [];
    this.#next = 0;
  }
}

function notReading(reason: string): Error {
  return new GatewayError('client-stalled', `The client does not read: ${reason}`);
}

function heldBytes(length: number): number {
  return length + HELD_BYTES * Math.ceil(length / PIECE_BYTES);
}
