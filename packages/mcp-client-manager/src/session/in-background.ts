import type { OutgoingRequest, RequestHandle } from './session.js';

/**
 * Does what takes more than one request, and tells the one that it is done for what becomes of it, unless that is cancelled
 * first.
 */
export function inBackground<Result extends Readonly<Record<string, unknown>>>(
  request: Pick<OutgoingRequest, 'onFailure'> & { onResult(result: Result): void },
  work: (signal: AbortSignal) => Promise<Result>,
): RequestHandle {
  const end = new AbortController();
  work(end.signal).then(
    (result) => {
      if (!end.signal.aborted) request.onResult(result);
    },
    (error: unknown) => {
      if (!end.signal.aborted) request.onFailure(error);
    },
  );
  return { isSent: true, cancel: (reason) => end.abort(reason) };
}
