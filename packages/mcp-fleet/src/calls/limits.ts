import { bytes, longestTimerMs, milliseconds, optionTable } from '@x/internal/options';

export interface CallLimitOptions {
  /** Longest arguments of one call in encoded bytes. Default 8 MiB. */
  readonly maxArgsBytes?: number | undefined;
  /** Longest result of one call in encoded bytes. Default 32 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Concurrent calls from one other node. Default 64. */
  readonly maxCallsPerNode?: number | undefined;
  /** Timeout in milliseconds of calls that have none. Default 60 000. */
  readonly timeoutMs?: number | undefined;
}

export type CallLimits = Readonly<Record<keyof CallLimitOptions, number>>;

/** Longest message, so that one long call does not delay short ones. */
const MAX_MESSAGE_BYTES = 512 * 1024;

const MIB = 1024 * 1024;

const limits = optionTable<CallLimitOptions>()({
  maxArgsBytes: { ...bytes, default: 8 * MIB },
  maxResultBytes: { ...bytes, default: 32 * MIB },
  maxCallsPerNode: { kind: 'number', of: 'calls', min: 1, default: 64 },
  timeoutMs: { ...milliseconds, default: 60_000 },
});

/** @throws {TypeError} A limit is misspelt or out of bounds; the message names it. */
export function resolveCallLimits(given?: CallLimitOptions): CallLimits {
  return limits.read(given, 'limits.');
}

export function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= longestTimerMs;
}

export function messageBytes({ maxPayloadBytes }: { readonly maxPayloadBytes: number }): number {
  return Math.min(MAX_MESSAGE_BYTES, maxPayloadBytes);
}
