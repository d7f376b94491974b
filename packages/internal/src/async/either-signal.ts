import { onAbort } from './on-abort.js';

export interface HeldSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with the first of `signals`. Unlike `AbortSignal.any`, leaves no listener on long-lived signals once disposed.
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
