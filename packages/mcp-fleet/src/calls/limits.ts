import { longestTimerMs, optionTable } from '@x/internal/options';

/** How long and how many calls may be. */
export interface CallLimitOptions {
  /** Longest arguments of one call, in bytes as they are sent. Default 8 MiB. */
  readonly maxArgsBytes?: number | undefined;
  /** Longest result of one call, in bytes as it is sent. Default 32 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Calls that one other node may have under way here. Default 64. */
  readonly maxCallsPerNode?: number | undefined;
  /** Longest wait for a call that does not say so itself, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number | undefined;
}

export type CallLimits = Readonly<Record<keyof CallLimitOptions, number>>;

/** What takes part in a message at the most, so that one long call does not keep the short ones waiting. */
const MAX_MESSAGE_BYTES = 512 * 1024;

const MIB = 1024 * 1024;

export const timeLimit = { kind: 'number', of: 'milliseconds', min: 1, max: longestTimerMs } as const;
const bytes = { kind: 'number', of: 'bytes', min: 1 } as const;
const limits = optionTable<CallLimitOptions>()({
  maxArgsBytes: { ...bytes, default: 8 * MIB },
  maxResultBytes: { ...bytes, default: 32 * MIB },
  maxCallsPerNode: { kind: 'number', of: 'calls', min: 1, default: 64 },
  timeoutMs: { ...timeLimit, default: 60_000 },
});

/** @throws {TypeError} Names the limit that is misspelt or out of its bounds. */
export function resolveCallLimits(given?: CallLimitOptions): CallLimits {
  return limits.read(given, 'limits.');
}

export function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= longestTimerMs;
}

/** The longest message that a call sends over a bus. */
export function messageBytes({ maxPayloadBytes }: { readonly maxPayloadBytes: number }): number {
  return Math.min(MAX_MESSAGE_BYTES, maxPayloadBytes);
}
