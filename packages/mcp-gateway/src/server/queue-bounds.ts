import { milliseconds } from '@x/internal/options';

/** How much may wait for a reader, and how long. */
export interface QueueBounds {
  /** Bytes that may wait for the reader before one more piece ends the stream. */
  readonly maxQueuedBytes: number;
  /** How long something may wait with nothing being taken, in milliseconds. */
  readonly maxStallMs: number;
}

/** The row of an option `maxStallMs`. */
export const stallRow = { ...milliseconds, default: 60_000 } as const;

/** Handed out at once. A reader that takes one of these now and then is slow, but alive. */
export const PIECE_BYTES = 256 * 1024;
/** What holding a piece takes beside its bytes, so that many small ones count as what they are. */
export const HELD_BYTES = 256;
/** Smaller messages and pieces are passed on at once: to count and schedule them costs more than it saves. */
export const SMALL_BYTES = 16 * 1024;
