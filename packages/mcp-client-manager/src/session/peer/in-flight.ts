import { onAbort } from '@x/internal/async';
import type { ActiveCaller, CallEnd } from '../server-requests/active-caller.js';
import type { ActiveCallers } from '../server-requests/active-callers.js';
import type { CallHandler } from '../server-requests/call-handler.js';
import type { OutgoingRequest, RequestHandle, SessionRequestOptions } from '../session.js';

export type OperationOptions = Pick<SessionRequestOptions, 'signal' | 'handler'>;

export interface Operation {
  /** Aborts when the caller cancels, or when the session gives up all operations. */
  readonly signal: AbortSignal;
  readonly caller: ActiveCaller | undefined;
}

interface InFlightOptions {
  readonly callers: ActiveCallers;
  readonly onCount: (count: number) => void;
}

/** A call of several requests counts once. */
export class InFlight {
  readonly #callers: ActiveCallers;
  readonly #onCount: InFlightOptions['onCount'];
  readonly #cancels = new Set<(reason: unknown) => void>();
  #count = 0;
  #reportedCount = 0;
  /** Requests that may cause server requests but have no handler of their own. */
  #anonymous = 0;

  constructor({ callers, onCount }: InFlightOptions) {
    this.#callers = callers;
    this.#onCount = onCount;
  }

  get count(): number {
    return this.#count;
  }

  get hasAnonymous(): boolean {
    return this.#anonymous > 0;
  }

  /** The caller must call `report` and `end`. */
  begin(handler: CallHandler | undefined, mayCauseRequests: boolean): ActiveCaller | undefined {
    this.#count += 1;
    if (handler) return this.#callers.add(handler);
    if (mayCauseRequests) {
      this.#anonymous += 1;
      this.#callers.addAnonymous();
    }
    return undefined;
  }

  end(caller: ActiveCaller | undefined, mayCauseRequests: boolean, how: CallEnd): void {
    this.#count -= 1;
    if (caller) caller.end(how);
    else if (mayCauseRequests) this.#anonymous -= 1;
    this.report();
  }

  report(): void {
    if (this.#count === this.#reportedCount) return;
    this.#reportedCount = this.#count;
    this.#onCount(this.#count);
  }

  /** `work` may send several requests. */
  async during<Result>(
    { signal, handler }: OperationOptions,
    work: (request: Operation) => Promise<Result>,
    { mayCauseRequests = true }: { readonly mayCauseRequests?: boolean } = {},
  ): Promise<Result> {
    const end = new AbortController();
    const cancel = (reason: unknown): void => end.abort(reason);
    const ignoreSignal = onAbort(signal, () => cancel(signal.reason));
    if (signal.aborted) cancel(signal.reason);
    const ignoreCancelAll = this.onCancelAll(cancel);
    const entered = this.begin(handler, mayCauseRequests);
    this.report();
    try {
      return await work({ signal: end.signal, caller: entered });
    } finally {
      ignoreCancelAll();
      ignoreSignal();
      this.end(entered, mayCauseRequests, end.signal.aborted ? 'abandoned' : 'answered');
    }
  }

  onCancelAll(listener: (reason: unknown) => void): () => void {
    this.#cancels.add(listener);
    return () => void this.#cancels.delete(listener);
  }

  cancelAll(reason: unknown): void {
    for (const cancel of [...this.#cancels]) cancel(reason);
  }
}

/** Passes the outcome of several requests to `request`, unless that is cancelled first. */
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
