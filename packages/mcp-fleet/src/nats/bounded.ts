import type { NatsConnection } from '@nats-io/transport-node';
import { FleetError } from '../errors.js';
import { toFleetError } from './failure.js';

/** A connection, and when it is over. */
export interface Connected {
  readonly nats: NatsConnection;
  /** Aborted when the connection is lost or closed, with the error to be told. */
  readonly lost: AbortSignal;
}

interface Bounds {
  /** As in "Could not …". */
  readonly what: string;
  /** Left out: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** Who may lose interest. The first that does is whose reason is thrown. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/**
 * Waits for an answer, no longer than there is the connection, the time, and somebody who wants it.
 *
 * @throws {FleetError} What the client threw; `bus-down`; or a signal's reason.
 */
export async function bounded<Result>(
  { lost }: Connected,
  start: () => Promise<Result>,
  { what, timeoutMs, signals }: Bounds,
): Promise<Result> {
  for (const signal of signals) signal?.throwIfAborted();
  const answer = start();
  await null; // the client sends in this moment; what guards the answer is made while that is under way
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
    over.abort('settled'); // without a reason, an error with a stack is made each time
  }
}
