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
export const PIECE_OVERHEAD_BYTES = 256;
/** Smaller messages are not counted or scheduled, which would cost more than it saves. */
export const SMALL_BYTES = 16 * 1024;

const VALUE_BYTES = 16;

/** Estimates the memory of a JSON value in bytes, without serializing it. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += sizeOf(item);
  else for (const [name, item] of Object.entries(value)) bytes += name.length + VALUE_BYTES + sizeOf(item);
  return bytes;
}

/** `sizeOf(value) > bytes`, but stops early. */
export function isLarger(value: unknown, bytes: number): boolean {
  return left(value, bytes) < 0;
}

function left(value: unknown, bytes: number): number {
  let rest = bytes - VALUE_BYTES;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  for (const name in value) {
    if (rest < 0) break;
    if (!Array.isArray(value)) rest -= name.length + VALUE_BYTES;
    rest = left((value as Record<string, unknown>)[name], rest);
  }
  return rest;
}
