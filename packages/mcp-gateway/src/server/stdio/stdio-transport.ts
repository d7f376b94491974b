import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { GatewayError } from '../../errors.js';
import { PIECE_BYTES, PIECE_OVERHEAD_BYTES, type QueueBounds } from '../message-sizes.js';

/** Time for a client to read the last data. */
const GRACE_MS = 2_000;

/** The SDK's stdio transport with bounds. The SDK would also add a listener to the stream for each message. */
export class StdioTransport extends StdioServerTransport {
  readonly #output: StdioOutput;
  #isOver = false;

  constructor(bounds: QueueBounds, stdin: Readable = process.stdin, stdout: Writable = process.stdout) {
    super(stdin, stdout);
    this.#output = new StdioOutput(stdout, bounds, (reason) => {
      this.onerror?.(reason);
      void this.close();
    });
  }

  /** Resolves before the client has read the message. */
  override async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is over');
    this.#output.write(serializeMessage(message));
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    await super.close();
    await this.flushed();
  }

  /** Ends the output. Resolves when the client has read it, or after a grace period. */
  flushed(): Promise<void> {
    return this.#output.end(GRACE_MS);
  }
}

/** Written pieces stay in the queue up to this number. */
const MOST_DONE = 1_024;

const UTF8 = new TextEncoder();

/**
 * Bounds the pending data of a client that may read slowly or not at all: by size, which the last message may exceed,
 * and by time without progress.
 */
export class StdioOutput {
  readonly #stream: Writable;
  readonly #bounds: QueueBounds;
  readonly #onFailed: (reason: Error) => void;
  #queue: Uint8Array[] = [];
  #next = 0;
  #queuedBytes = 0;
  /** Passed to the stream, but not written yet. */
  #piecesInFlight = 0;
  #stalled: ReturnType<typeof setTimeout> | undefined;
  #phase: 'open' | 'ending' | 'over' = 'open';
  #ending: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  /** @param onFailed - Called once, when the client exceeds a bound or is gone. */
  constructor(stream: Writable, bounds: QueueBounds, onFailed: (reason: Error) => void) {
    this.#stream = stream;
    this.#bounds = bounds;
    this.#onFailed = onFailed;
  }

  write(text: string): void {
    if (this.#phase !== 'open') return;
    const { maxQueuedBytes, maxStallMs } = this.#bounds;
    if (this.#queuedBytes > maxQueuedBytes) {
      this.#fail(notReading(`more than ${maxQueuedBytes} bytes are pending`));
      return;
    }
    const bytes = UTF8.encode(text);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#queue.push(bytes.subarray(at, at + PIECE_BYTES));
    this.#queuedBytes += pendingBytes(bytes.length);
    this.#stalled ??= setTimeout(
      () => this.#fail(notReading(`it read nothing for ${maxStallMs} milliseconds`)),
      maxStallMs,
    );
    this.#pump();
  }

  /** Resolves when everything was written, or after the grace period. Idempotent. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#finish(graceMs);
    return this.#ending;
  }

  async #finish(graceMs: number): Promise<void> {
    if (this.#phase === 'open') this.#phase = 'ending';
    clearTimeout(this.#stalled);
    if (this.#phase === 'ending' && !this.#isFlushed) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    this.#drop();
  }

  get #isFlushed(): boolean {
    return this.#piecesInFlight === 0 && this.#next === this.#queue.length;
  }

  /** Passes no more to the stream than it accepts, since passed data cannot be dropped. */
  #pump(): void {
    while (this.#next < this.#queue.length && !this.#stream.writableNeedDrain) {
      const piece = this.#queue[this.#next++] as Uint8Array;
      this.#piecesInFlight += 1;
      this.#stream.write(piece, (error) => this.#onWritten(piece.length, error));
    }
    // Releases written pieces rarely, so that a long queue is not moved for each of them.
    if (this.#next < this.#queue.length && this.#next < MOST_DONE) return;
    this.#queue = this.#queue.slice(this.#next);
    this.#next = 0;
  }

  #onWritten(bytes: number, error: Error | null | undefined): void {
    this.#piecesInFlight -= 1;
    if (this.#phase === 'over') return;
    if (error) {
      this.#fail(error);
      return;
    }
    this.#queuedBytes -= pendingBytes(bytes);
    this.#pump();
    if (!this.#isFlushed) {
      if (this.#phase === 'open') this.#stalled?.refresh();
      return;
    }
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#wake?.();
  }

  #fail(reason: Error): void {
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

function pendingBytes(length: number): number {
  return length + PIECE_OVERHEAD_BYTES * Math.ceil(length / PIECE_BYTES);
}
