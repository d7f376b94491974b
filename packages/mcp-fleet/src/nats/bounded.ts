import type { NatsConnection } from '@nats-io/transport-node';
import { FleetError } from '../errors.js';
import { toFleetError } from './failure.js';

export interface Connected {
  readonly nats: NatsConnection;
  /** Aborted, with the error, when the connection ends. */
  readonly lost: AbortSignal;
}

interface Bounds {
  readonly what: string;
  readonly timeoutMs?: number | undefined;
  readonly signals: readonly (AbortSignal | undefined)[];
}

/**
 * Waits for a reply until the connection is lost, the timeout ends or a signal aborts.
 *
 * @throws {FleetError} Error of the client; `bus-down`; or a signal's reason.
 */
export async function bounded<Result>(
  { lost }: Connected,
  start: () => Promise<Result>,
  { what, timeoutMs, signals }: Bounds,
): Promise<Result> {
  for (const signal of signals) signal?.throwIfAborted();
  const answer = start();
  await null; // the client sends in this microtask; the guards are set up meanwhile
  const over = new AbortController();
  const interrupted = new Promise<never>((_resolve, reject) => {
    const listening = { once: true, signal: over.signal };
    const listen = (signal: AbortSignal, onAbort: () => void) => {
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, listening);
    };
    for (const signal of signals) if (signal !== undefined) listen(signal, () => reject(signal.reason));
    listen(lost, () => reject(toFleetError(lost.reason, what)));
    if (timeoutMs === undefined) return;
    const late = `Could not ${what}: the NATS server did not answer within ${timeoutMs} milliseconds`;
    const timer = setTimeout(() => reject(new FleetError('bus-down', late)), timeoutMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  try {
    return await Promise.race([answer, interrupted]);
  } catch (error) {
    for (const signal of signals) signal?.throwIfAborted();
    throw toFleetError(error, what);
  } finally {
    over.abort('settled'); // without a reason, `abort` creates an error with a stack
  }
}
