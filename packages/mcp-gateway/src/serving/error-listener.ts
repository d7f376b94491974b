import { callListener } from '@x/internal/events';

export type ErrorListener = ((error: Error) => void) | undefined;

/** The same listener, whose own faults do not reach its callers. */
export function guarded(onError: ErrorListener): ErrorListener {
  return onError && ((error) => callListener('onError', () => onError(error)));
}
