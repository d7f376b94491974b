import { rethrowLater } from '../events.js';

export type ErrorListener = ((error: Error) => void) | undefined;

/** The same listener, whose own faults do not reach what it is told of. */
export function guarded(onError: ErrorListener): ErrorListener {
  if (onError === undefined) return undefined;
  return (error) => {
    try {
      onError(error);
    } catch (fault) {
      rethrowLater(fault);
    }
  };
}
