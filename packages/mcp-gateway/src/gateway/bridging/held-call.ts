import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { withResolvers } from '@x/internal/async';
import type { CallHandler, ServerRequest, SourceCallOptions, ToolProgress } from '@x/internal/contracts';
import { withPlainHandler } from '@x/internal/views';
import { isResponseTo, type OnRefused } from './server-requests.js';

type Fields = Readonly<Record<string, unknown>>;

/** Server requests within this time go to the client together. */
const GATHER_MS = 10;

interface OpenRequest extends ServerRequest {
  readonly resolve: (answer: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

type Step<Result> =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'questions'; readonly questions: ReadonlyMap<string, ServerRequest> };

/** What a client is asked. */
interface Asked {
  /** Read for each request. */
  readonly capabilities: () => Fields;
  readonly onRefused: OnRefused;
}

export interface HeldCallOptions extends Asked {
  readonly client: unknown;
  readonly owner: unknown;
  readonly clientInfo: CallHandler['clientInfo'];
  /** For requests that are no server's. Default: the same. */
  readonly plain?: Asked | undefined;
  /** @throws {Error} if too many calls wait. */
  readonly onFirstRequest: () => void;
  readonly onOver: () => void;
}

/**
 * A call from a client of revision 2026-07-28, to a server of any revision. The client gets server requests in a
 * response and answers them in its next request. Meanwhile the call waits, and outlives the request that started it.
 */
export class HeldCall<Result> {
  readonly #options: HeldCallOptions;
  readonly #ended = new AbortController();
  readonly #questions = new Map<string, OpenRequest>();
  #asked = 0;
  #outcome: Outcome<Result> | undefined;
  #wake: (() => void) | undefined;
  /** Listener of the client's request in progress. */
  #onProgress: SourceCallOptions['onProgress'];

  constructor(options: HeldCallOptions) {
    this.#options = options;
  }

  /** @param work - Runs once, with a signal that outlives the request. */
  start(work: (options: SourceCallOptions) => Promise<Result>, options: SourceCallOptions): void {
    const { onProgress } = options;
    this.#onProgress = onProgress;
    work({
      ...options,
      signal: this.#ended.signal,
      handler: this.#handler(),
      ...(onProgress !== undefined && { onProgress: (progress: ToolProgress) => this.#onProgress?.(progress) }),
    }).then(
      (result) => this.#settle({ result }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  /**
   * Waits during one request of the client, whose end ends the call.
   *
   * @throws The failure of the call; the signal's reason.
   */
  async next({ signal, onProgress }: Pick<SourceCallOptions, 'signal' | 'onProgress'>): Promise<Step<Result>> {
    const onAbort = () => this.end(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    this.#onProgress = onProgress;
    try {
      while (this.#outcome === undefined) {
        if (this.#questions.size === 0) await this.#woken();
        else if (await this.#isQuiet()) return { kind: 'questions', questions: new Map(this.#questions) };
      }
      signal?.throwIfAborted();
      if ('error' in this.#outcome) throw this.#outcome.error;
      return { kind: 'result', result: this.#outcome.result };
    } finally {
      this.#onProgress = undefined;
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Missing responses stay open, unknown ones are ignored.
   *
   * @returns The keys of invalid responses; then none was passed.
   */
  answer(answers: Fields): readonly string[] {
    const given = Array.from(this.#questions).filter(([key]) => Object.hasOwn(answers, key));
    const unfit = given.filter(([key, question]) => !isResponseTo(question, answers[key])).map(([key]) => key);
    if (unfit.length > 0) return unfit;
    for (const [key, question] of given) {
      this.#questions.delete(key);
      question.resolve(answers[key] as Fields);
    }
    return [];
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** Cancels the call at its server, unless it is over. */
  end(reason: unknown): void {
    this.#ended.abort(reason);
    this.#settle({ error: reason });
  }

  #handler(): CallHandler {
    const { plain } = this.#options;
    const handler = this.#handlerFor(this.#options);
    return plain === undefined ? handler : withPlainHandler(handler, () => this.#handlerFor(plain));
  }

  #handlerFor({ capabilities, onRefused }: Asked): CallHandler {
    const { client, owner, clientInfo } = this.#options;
    return {
      client,
      owner,
      clientInfo,
      get capabilities() {
        return capabilities();
      },
      answer: async (question, { server, signal }) => {
        const ended = AbortSignal.any([signal, this.#ended.signal]);
        return (await onRefused(question, { server, signal: ended })) ?? this.#ask(question, signal);
      },
    };
  }

  async #ask({ method, params }: ServerRequest, signal: AbortSignal): Promise<Fields> {
    signal.throwIfAborted();
    if (this.#outcome !== undefined) throw callOver();
    if (this.#asked === 0) this.#options.onFirstRequest();
    const key = `question-${++this.#asked}`;
    const { promise, resolve, reject } = withResolvers<Fields>();
    const withdraw = () => {
      this.#questions.delete(key);
      reject(signal.reason);
    };
    signal.addEventListener('abort', withdraw);
    this.#questions.set(key, { method, params, resolve, reject });
    this.#wake?.();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }

  #settle(outcome: Outcome<Result>): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    for (const { reject } of this.#questions.values()) {
      reject(callOver());
    }
    this.#questions.clear();
    this.#wake?.();
    if (this.#asked > 0) this.#options.onOver();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Waits for further server requests. */
  async #isQuiet(): Promise<boolean> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#wake?.();
    }, GATHER_MS);
    while (!isOver && this.#outcome === undefined) await this.#woken();
    clearTimeout(timer);
    return this.#outcome === undefined && this.#questions.size > 0;
  }
}

function callOver(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, 'The call of this server request has ended');
}
