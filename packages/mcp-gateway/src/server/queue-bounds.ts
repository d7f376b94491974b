import { milliseconds } from '@x/internal/options';

export interface QueueBounds {
  /** Pending bytes of a stream. One more piece ends it. */
  readonly maxQueuedBytes: number;
  readonly maxStallMs: number;
}

export const stallRow = { ...milliseconds, default: 60_000 } as const;

/** A client that reads one of these within `maxStallMs` is slow, but alive. */
export const PIECE_BYTES = 256 * 1024;
/** Memory of a piece beside its bytes. */
export const HELD_BYTES = 256;
/** Smaller messages are not counted or scheduled, which would cost more than it saves. */
export const SMALL_BYTES = 16 * 1024;
