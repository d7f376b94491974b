import { inBackground } from '../../timers.js';
import type { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

export interface LeaseOptions {
  /** True for a stream of changes, which has no end of its own. Its client opens another with a newer token. */
  readonly lasts: boolean;
  /** True while the token is valid for this. Rejects if that is unknown now. */
  readonly isGood: () => Promise<boolean>;
  readonly checkMs: number;
  readonly expiresAt: number | undefined;
  /** The response in place of a missing one. */
  readonly refused: () => HttpAnswer;
  /** Receives calls whose token was revoked. */
  readonly onRevoked: (reason: Error) => void;
  readonly onError: ((error: Error) => void) | undefined;
}

/**
 * Ends open streams and calls when their token is no longer valid. The protocol requires a check per request, and says
 * nothing of open ones. An admitted call may finish when its token expires, as its client cannot send a newer one.
 */
export class TokenLease {
  /** The same request, abandoned with its token. */
  readonly ask: HttpAsk;
  readonly #options: LeaseOptions;
  readonly #given = new AbortController();
  readonly #gone: AbortSignal;
  readonly #onGone: () => void;
  readonly #refused: Promise<HttpAnswer>;
  #refuse!: (answer: HttpAnswer) => void; // assigned by the promise, whose function runs at once
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(ask: HttpAsk, options: LeaseOptions) {
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

  /** The response, while the token is valid. */
  async hold(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
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

  /** Nothing is open any more. Idempotent. */
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
      // A failed check says nothing about the token, except its own expiry.
      isLeft = !this.#hasExpired;
    }
    if (this.#isOver) return;
    if (isLeft) this.#arm();
    else if (lasts || !this.#hasExpired) this.#giveUp();
  }

  get #hasExpired(): boolean {
    return Date.now() >= (this.#options.expiresAt ?? Number.NaN);
  }

  #giveUp(): void {
    const { lasts, refused, onRevoked } = this.#options;
    const reason = new Error('The token that this was opened with is not valid any more');
    this.#refuse(refused());
    if (!lasts) onRevoked(reason);
    this.#given.abort(reason);
    this.#stop?.();
    this.end();
  }
}

function discard({ body }: HttpAnswer): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined); // over in any case
}

function withSignal(ask: HttpAsk, signal: AbortSignal): HttpAsk {
  return {
    method: ask.method,
    url: ask.url,
    signal,
    header: (name) => ask.header(name),
    readBody: (take) => ask.readBody(take),
    toRequest: () => {
      const { url, method, headers } = ask.toRequest(); // not its body, which was read
      return new Request(url, { method, headers, signal });
    },
  };
}

/** The same body, which can be ended early. */
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
    reader.cancel(new Error('The token is not valid any more')).catch(() => undefined); // over in any case
  };
  return { body, stop };
}
