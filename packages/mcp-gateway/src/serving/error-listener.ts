import { callListener } from '@x/internal/events';

export type ErrorListener = ((error: Error) => void) | undefined;

/** What the protocol library says of messages that it cannot use, before it repeats them whole. */
const REPEATED =
  /^(Unknown message type|Received a response for an unknown message ID|Received a progress notification for an unknown token): /;

/**
 * The same listener, whose own faults do not reach what it is told of, and who is not told what clients have written: the
 * answer to a question that was taken back may hold what a user has typed.
 */
export function guarded(onError: ErrorListener): ErrorListener {
  if (onError === undefined) return undefined;
  return (error) => callListener('onError', () => onError(withoutMessage(error)));
}

function withoutMessage(error: Error): Error {
  const said = REPEATED.exec(error.message)?.[1];
  return said === undefined ? error : new Error(said);
}
