import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { withResolvers } from '@x/internal/async';
import type { CallHost, CallToolOptions, HostQuestion, ToolProgress } from '@x/internal/contracts';
import { isAnswerTo, refusalOf } from './host-question.js';

type Fields = Readonly<Record<string, unknown>>;

/** Questions that come this soon after another go to the client together with it. */
const GATHER_MS = 10;

interface OpenQuestion extends HostQuestion {
  readonly resolve: (answer: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** What a call has come to: its result, or what has to be answered before it goes on. */
export type Step<Result> =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'questions'; readonly questions: ReadonlyMap<string, HostQuestion> };

export interface HeldCallOptions {
  readonly client: unknown;
  /** To whom the client belongs. */
  readonly owner: unknown;
  /** Asked again for each question. */
  readonly capabilities: () => Fields;
  /** @throws {Error} if there is no room for another call that waits for its client. */
  readonly onFirstQuestion: () => void;
  /** Called once, when the call needs no room any more. */
  readonly onOver: () => void;
}

/**
 * A call for a client of the 2026-07-28 revision to a server of an earlier one, which asks in the middle of its work. The
 * client cannot be asked: it is answered with the questions, and brings the answers with a request of their own. The call
 * waits meanwhile, and lasts longer than the request that began it.
 */
export class HeldCall<Result> {
  readonly #options: HeldCallOptions;
  readonly #ended = new AbortController();
  readonly #questions = new Map<string, OpenQuestion>();
  #asked = 0;
  #outcome: Outcome<Result> | undefined;
  #wake: (() => void) | undefined;
  /** Of the client's request that is under way. */
  #onProgress: CallToolOptions['onProgress'];

  constructor(options: HeldCallOptions) {
    this.#options = options;
  }

  /** @param work - Runs once, with a signal that outlives the request. Another one's progress goes to that one. */
  start(work: (options: CallToolOptions) => Promise<Result>, options: CallToolOptions): void {
    const { onProgress } = options;
    this.#onProgress = onProgress;
    work({
      ...options,
      signal: this.#ended.signal,
      host: this.#host(),
      ...(onProgress !== undefined && { onProgress: (progress: ToolProgress) => this.#onProgress?.(progress) }),
    }).then(
      (result) => this.#settle({ result }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  /**
   * Waits for what comes next, for as long as a request of the client's does. Its end ends the call.
   *
   * @throws what the call failed with; the signal's reason.
   */
  async next({ signal, onProgress }: Pick<CallToolOptions, 'signal' | 'onProgress'>): Promise<Step<Result>> {
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
   * Gives the server what the client has answered. What it has left out stays open, and what nobody waits for is ignored.
   *
   * @returns The keys of what is no answer to its question; then nothing was given.
   */
  answer(answers: Fields): readonly string[] {
    const given = Array.from(this.#questions).filter(([key]) => Object.hasOwn(answers, key));
    const unfit = given.filter(([key, question]) => !isAnswerTo(question, answers[key])).map(([key]) => key);
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

  /** Cancels the call at its server, if it is not over. */
  end(reason: unknown): void {
    this.#ended.abort(reason);
    this.#settle({ error: reason });
  }

  #host(): CallHost {
    const { client, owner, capabilities } = this.#options;
    return {
      client,
      owner,
      get capabilities() {
        return capabilities();
      },
      answer: (question, { signal }) => this.#ask(question, signal),
    };
  }

  async #ask({ method, params }: HostQuestion, signal: AbortSignal): Promise<Fields> {
    const refusal = refusalOf({ method, params }, this.#options.capabilities());
    if (refusal !== undefined) throw refusal;
    signal.throwIfAborted();
    if (this.#outcome !== undefined) throw callOver();
    if (this.#asked === 0) this.#options.onFirstQuestion();
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

  /** Whether the time to gather questions is over before the call is, and any of them is still open. */
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
  return new ProtocolError(ProtocolErrorCode.InternalError, 'The call that this is about is over');
}
