import { inBackground } from '../../timers.js';
import type { CallerTurns } from '../caller-turns.js';
import { PIECE_BYTES, PIECE_OVERHEAD_BYTES, type QueueBounds, SMALL_BYTES } from '../message-sizes.js';
import { Unread, type Waiting } from './waiting-bytes.js';

export interface BodyWatch {
  /** Called once when the body was read to its end, failed or was cancelled. */
  readonly onEnd: (isTaken: boolean) => void;
  /** Called before `onEnd` if the body was dropped because its client does not read. */
  readonly onDropped?: ((reason: Error) => void) | undefined;
  /** Counts pending bytes. Default: only the body's own bounds apply. */
  readonly waiting?: Waiting | undefined;
  /** With `waiting`: sends large pieces in turns of the caller. Default: at once. */
  readonly turns?: CallerTurns | undefined;
}

/** Resolves when the next large piece may be sent. `undefined`: at once. */
export function turnOf({ waiting, turns }: BodyWatch): Promise<void> | undefined {
  return waiting && turns?.acquire(waiting.caller);
}

interface BodyBounds extends QueueBounds {
  readonly isEventStream: boolean;
  /** The body is one piece that `waiting` already counts. */
  readonly isAdmitted?: boolean;
}

const COLON = 0x3a;

/**
 * Bounds a source that ignores backpressure, as those of the SDK do: by size, which the last piece may exceed, and by
 * time without progress.
 */
export class BoundedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  readonly #bounds: BodyBounds;
  readonly #watch: BodyWatch;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  /** Counted until the reader asks for more. */
  #handedOut: Uint8Array | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>; // assigned by `start`, which runs in the constructor
  #phase: 'open' | 'complete' | 'over' = 'open';
  #wake: (() => void) | undefined;
  #stalled: ReturnType<typeof setTimeout> | undefined;

  constructor(source: ReadableStream<Uint8Array>, bounds: BodyBounds, watch: BodyWatch) {
    this.#source = source.getReader();
    this.#bounds = bounds;
    this.#watch = watch;
    watch.waiting?.onEviction((reason) => this.#drop(reason));
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: 0 },
    );
    void this.#readAhead();
  }

  async #readAhead(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#source.read();
        if (this.#phase !== 'open') return;
        if (done) break;
        this.#offer(value);
      }
      this.#phase = 'complete';
      if (this.#queue.length === 0) this.#finish();
    } catch (error) {
      if (this.#phase === 'open') this.#fail(error);
    }
  }

  #offer(piece: Uint8Array): void {
    // A keep-alive is useless while other data is pending.
    if (this.#bounds.isEventStream && piece[0] === COLON && this.#queue.length > 0) return;
    const { maxQueuedBytes } = this.#bounds;
    if (this.#queuedBytes >= maxQueuedBytes) {
      this.#drop(new Error(`The client does not read: more than ${maxQueuedBytes} bytes are pending`));
      return;
    }
    if (!this.#count(piece)) {
      if (this.#phase === 'open') this.#drop(new Unread());
      return;
    }
    this.#queue.push(piece);
    this.#queuedBytes += piece.byteLength + PIECE_OVERHEAD_BYTES;
    if (this.#wake === undefined) this.#stalled ??= this.#armStall();
    else this.#wake();
  }

  #count(piece: Uint8Array): boolean {
    const { waiting } = this.#watch;
    if (waiting === undefined) return true;
    if (!this.#bounds.isAdmitted) return waiting.tryAdd(piece);
    waiting.clear();
    waiting.add(piece);
    return !waiting.isClosed;
  }

  async #pull(): Promise<void> {
    this.#release();
    if (this.#queue.length === 0 && this.#phase === 'open') {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const turn = this.#queuedBytes > SMALL_BYTES ? turnOf(this.#watch) : undefined;
    if (turn !== undefined) await turn;
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    if (this.#phase === 'over') return;
    if (this.#queue.length > 0) this.#controller.enqueue(this.#nextPiece());
    if (this.#queue.length > 0) this.#stalled = this.#armStall();
    else if (this.#phase === 'complete') this.#finish();
  }

  #nextPiece(): Uint8Array {
    let count = 0;
    let bytes = 0;
    for (const piece of this.#queue) {
      if (count > 0 && bytes + piece.byteLength > PIECE_BYTES) break;
      bytes += piece.byteLength;
      count++;
    }
    const [first = new Uint8Array(), ...others] = this.#queue.splice(0, count);
    this.#queuedBytes -= bytes + count * PIECE_OVERHEAD_BYTES;
    if (others.length > 0) {
      const whole = joined([first, ...others], bytes);
      this.#handOut(whole, [first, ...others]);
      return whole;
    }
    if (bytes > PIECE_BYTES) {
      const rest = first.subarray(PIECE_BYTES);
      this.#queue.unshift(rest);
      this.#queuedBytes += rest.byteLength + PIECE_OVERHEAD_BYTES;
      this.#watch.waiting?.add(rest);
    }
    this.#handedOut = first;
    return first.subarray(0, PIECE_BYTES);
  }

  #handOut(whole: Uint8Array, parts: readonly Uint8Array[]): void {
    const { waiting } = this.#watch;
    waiting?.add(whole);
    for (const part of parts) waiting?.release(part);
    this.#handedOut = whole;
  }

  #release(): void {
    if (this.#handedOut === undefined) return;
    const { waiting } = this.#watch;
    waiting?.release(this.#handedOut);
    this.#handedOut = undefined;
    if (this.#queue.length > 0) waiting?.recordProgress();
  }

  #armStall(): ReturnType<typeof setTimeout> {
    const { maxStallMs } = this.#bounds;
    const timer = setTimeout(
      () => this.#drop(new Error(`The client does not read: it read nothing for ${maxStallMs} milliseconds`)),
      maxStallMs,
    );
    return inBackground(timer);
  }

  #drop(reason: Error): void {
    if (this.#phase === 'over') return;
    this.#source.cancel(reason).catch(() => undefined);
    this.#watch.onDropped?.(reason);
    this.#fail(reason);
  }

  #fail(reason: unknown): void {
    this.#controller.error(reason);
    this.#end(false);
  }

  #finish(): void {
    this.#controller.close();
    this.#end(true);
  }

  async #cancel(reason: unknown): Promise<void> {
    this.#end(false);
    await this.#source.cancel(reason);
  }

  #end(isTaken: boolean): void {
    this.#phase = 'over';
    clearTimeout(this.#stalled);
    this.#queue.length = 0;
    this.#handedOut = undefined;
    this.#watch.waiting?.close();
    this.#wake?.();
    this.#watch.onEnd(isTaken);
  }
}

export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

export function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
