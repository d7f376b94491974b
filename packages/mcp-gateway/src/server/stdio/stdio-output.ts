import type { Writable } from 'node:stream';
import { GatewayError } from '../../errors.js';
import { HELD_BYTES, PIECE_BYTES, type QueueBounds } from '../queue-bounds.js';

/** Most pieces of the queue that are done with. */
const MOST_DONE = 1_024;

const UTF8 = new TextEncoder();

/**
 * What is written for a client that may be slow, or not read at all. What waits is bounded: by its size, where only the
 * last message may go beyond it, since one result may be larger than many notices; and by how long nothing is taken.
 */
export class StdioOutput {
  readonly #stream: Writable;
  readonly #bounds: QueueBounds;
  readonly #onFailed: (reason: Error) => void;
  #queue: Uint8Array[] = [];
  /** Place in the queue of the piece that is next. */
  #next = 0;
  #queuedBytes = 0;
  /** Given to the stream, which has not passed them on yet. */
  #piecesUnderWay = 0;
  #stalled: ReturnType<typeof setTimeout> | undefined;
  #phase: 'open' | 'ending' | 'over' = 'open';
  #ending: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  /** @param onFailed - Called once: the client is beyond a bound, or gone, and nothing is written to it any more. */
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

  /** Resolves once everything has been taken, or the grace is over. Nothing more is written then. May be called twice. */
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

  /** Gives the stream no more than it wants: what it has been given cannot be taken back. */
  #pump(): void {
    while (this.#next < this.#queue.length && !this.#stream.writableNeedDrain) {
      const piece = this.#queue[this.#next++] as Uint8Array; // there are more, as was asked
      this.#piecesUnderWay += 1;
      this.#stream.write(piece, (error) => this.#onTaken(piece.length, error));
    }
    // Now and then: what is done is not held, and a long queue is not moved for each of its pieces.
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
