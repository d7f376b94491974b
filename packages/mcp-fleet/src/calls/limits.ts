/** How long and how many calls may be. */
export interface CallLimitOptions {
  /** Longest arguments of one call, in bytes as they are sent. Default 8 MiB. */
  readonly maxArgsBytes?: number | undefined;
  /** Longest result of one call, in bytes as it is sent. Default 32 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Calls that one other host may have under way here. Default 64. */
  readonly maxCallsPerHost?: number | undefined;
  /** Longest wait for a call that does not say so itself, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number | undefined;
}

export type CallLimits = Readonly<Record<keyof CallLimitOptions, number>>;

/** The longest time that a timer can wait. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** What takes part in a message at the most, so that one long call does not keep the short ones waiting. */
const MAX_MESSAGE_BYTES = 512 * 1024;

const MIB = 1024 * 1024;

/** @throws {TypeError} naming the limit that is none. */
export function resolveCallLimits({
  maxArgsBytes = 8 * MIB,
  maxResultBytes = 32 * MIB,
  maxCallsPerHost = 64,
  timeoutMs = 60_000,
}: CallLimitOptions = {}): CallLimits {
  for (const [name, value] of Object.entries({ maxArgsBytes, maxResultBytes, maxCallsPerHost })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new TypeError(`limits.${name} must be a whole number above 0, got ${value}`);
    }
  }
  if (!isTimeout(timeoutMs)) {
    throw new TypeError(`limits.timeoutMs must be more than 0 and at most ${MAX_TIMEOUT_MS}, got ${timeoutMs}`);
  }
  return { maxArgsBytes, maxResultBytes, maxCallsPerHost, timeoutMs };
}

export function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS;
}

/** The longest message that a call sends over a bus. */
export function messageBytes({ maxPayloadBytes }: { readonly maxPayloadBytes: number }): number {
  return Math.min(MAX_MESSAGE_BYTES, maxPayloadBytes);
}
