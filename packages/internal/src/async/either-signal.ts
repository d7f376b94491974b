import { onAbort } from './on-abort.js';

/** A signal that follows others until it is disposed. */
export interface HeldSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with the first of `signals`, until it is disposed. Unlike `AbortSignal.any`, leaves no listener on long-lived
 * signals, such as the one of a session.
 */
export function eitherSignal(...signals: readonly AbortSignal[]): HeldSignal {
  const either = new AbortController();
  const ends = signals.map((signal) => {
    if (signal.aborted) either.abort(signal.reason);
    return onAbort(signal, () => either.abort(signal.reason));
  });
  return {
    signal: either.signal,
    [Symbol.dispose]: () => {
      for (const end of ends) end();
    },
  };
}
