import { inBackground } from '../../timers.js';
import type { HttpRequest, HttpResponse } from '../http-messages.js';

export interface LeaseOptions {
  /** True for a change stream. Its client can open another with a newer token. */
  readonly lasts: boolean;
  /** Rejects if the token cannot be checked. */
  readonly isGood: () => Promise<boolean>;
  readonly checkMs: number;
  readonly expiresAt: number | undefined;
  readonly refused: () => HttpResponse;
  readonly onRevoked: (reason: Error) => void;
  readonly onError: ((error: Error) => void) | undefined;
}

/**
 * Ends open streams and calls when their token becomes invalid. A call may finish when its token expires, since its
 * client cannot send a newer one.
 */
export class TokenLease {
  /** The request, with a signal that also aborts with the token. */
  readonly ask: HttpRequest;
  readonly #options: LeaseOptions;
  readonly #given = new AbortController();
  readonly #gone: AbortSignal;
  readonly #onGone: () => void;
  readonly #refused: Promise<HttpResponse>;
  #refuse!: (answer: HttpResponse) => void; // assigned at once by the promise
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(ask: HttpRequest, options: LeaseOptions) {
    this.#options = options;
    this.#gone = ask.signal;
    this.#onGone = () => this.#given.abort(ask.signal.reason);
    if (ask.signal.aborted) this.#onGone();
    else ask.signal.addEventListener('abort', this.#onGone);
    this.ask = withSignal(ask, this.#given.signal);
    this.#refused = new Promise((resolve) => {
      this.#refuse = resolve;
    });
    this.#arm();
  }

  /** Ends the response with the token. */
  async guard(answer: Promise<HttpResponse>): Promise<HttpResponse> {
    const held = await Promise.race([answer, this.#refused]);
    if (this.#isOver) {
      answer.then(discard, () => undefined); // no client is left for it
      return this.#refused;
    }
    if (!(held.body instanceof ReadableStream)) return held;
    const { body, stop } = stoppable(held.body);
    this.#stop = stop;
    return held.with({ body });
  }

  /** Idempotent. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#gone.removeEventListener('abort', this.#onGone);
  }

  #arm(): void {
    const { lasts, checkMs, expiresAt = Number.NaN } = this.#options;
    const leftMs = expiresAt - Date.now();
    const ms = lasts && leftMs > 0 ? Math.min(checkMs, leftMs) : checkMs;
    this.#timer = inBackground(setTimeout(() => void this.#check(), ms));
  }

  async #check(): Promise<void> {
    const { lasts, isGood, onError } = this.#options;
    let isLeft: boolean;
    try {
      isLeft = await isGood();
    } catch (error) {
      onError?.(error instanceof Error ? error : new Error(String(error)));
      // A failed check says nothing about the token, except for its own expiry.
      isLeft = !this.#hasExpired;
    }
    if (this.#isOver) return;
    if (isLeft) this.#arm();
    else if (lasts || !this.#hasExpired) this.#revoke();
  }

  get #hasExpired(): boolean {
    return Date.now() >= (this.#options.expiresAt ?? Number.NaN);
  }

  #revoke(): void {
    const { lasts, refused, onRevoked } = this.#options;
    const reason = new Error('The token of this request is no longer valid');
    this.#refuse(refused());
    if (!lasts) onRevoked(reason);
    this.#given.abort(reason);
    this.#stop?.();
    this.end();
  }
}

function discard({ body }: HttpResponse): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined);
}

function withSignal(ask: HttpRequest, signal: AbortSignal): HttpRequest {
  return {
    method: ask.method,
    url: ask.url,
    signal,
    header: (name) => ask.header(name),
    readBody: (take) => ask.readBody(take),
    toRequest: () => {
      const { url, method, headers } = ask.toRequest(); // its body was read
      return new Request(url, { method, headers, signal });
    },
  };
}

/** Wraps a body so that it can be ended early. */
function stoppable(source: ReadableStream<Uint8Array>): {
  readonly body: ReadableStream<Uint8Array>;
  readonly stop: () => void;
} {
  const reader = source.getReader();
  let isOver = false;
  let end = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        end = () => {
          if (isOver) return;
          isOver = true;
          controller.close();
        };
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) end();
        else if (!isOver) controller.enqueue(value);
      },
      cancel(reason) {
        isOver = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const stop = () => {
    end();
    reader.cancel(new Error('The token is no longer valid')).catch(() => undefined);
  };
  return { body, stop };
}
