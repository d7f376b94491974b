import { milliseconds } from '@x/internal/options';

/** Bounds of pending data, by size and time. */
export interface QueueBounds {
  /** Pending bytes above which one more piece ends the stream. */
  readonly maxQueuedBytes: number;
  /** Time without progress of pending data, in milliseconds. */
  readonly maxStallMs: number;
}

/** The row of an option `maxStallMs`. */
export const stallRow = { ...milliseconds, default: 60_000 } as const;

/** Size of a piece. A reader that accepts one of these now and then is slow, but alive. */
export const PIECE_BYTES = 256 * 1024;
/** Memory of a piece beside its bytes, so that many small ones count fully. */
export const HELD_BYTES = 256;
/** Smaller messages and pieces are passed on at once: counting and scheduling them costs more than it saves. */
export const SMALL_BYTES = 16 * 1024;
