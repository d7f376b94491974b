import { pause } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { reasonOf, rpcErrorOf } from '../rpc-error.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries work that was refused for lack of room, at the server or by the gateway's limits.
 *
 * @throws Other failures of the work; the signal's reason.
 */
export async function untilAdmitted(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      await work();
      return;
    } catch (cause) {
      if (!isForLater(cause)) throw cause;
      await pause(retryAfterMs(cause) ?? waitMs, signal);
    }
  }
}

function isForLater(cause: unknown): boolean {
  const data = rpcErrorOf(cause)?.data;
  return reasonOf(cause) === 'busy' || (isRecord(data) && data.reason === 'rate-limited');
}

function retryAfterMs(cause: unknown): number | undefined {
  const data = rpcErrorOf(cause)?.data ?? cause;
  const given = isRecord(data) ? data.retryAfterMs : undefined;
  return typeof given === 'number' && given >= 0 ? Math.min(given, LONGEST_WAIT_MS) : undefined;
}
