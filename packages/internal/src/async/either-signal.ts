import { onAbort } from './on-abort.js';

/** A signal that listens to others until its disposal. */
export interface HeldSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with the first of `signals` that does, until it is disposed. Unlike `AbortSignal.any` it leaves nothing behind at
 * signals that live longer, such as that of a session.
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
