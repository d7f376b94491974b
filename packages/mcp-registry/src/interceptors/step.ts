import type { DecisionSink, InterceptedRequest, Interceptor, InterceptorDecision } from '@x/internal/views';
import { isRegistryError, RegistryError } from '../errors.js';

export interface StepParts {
  readonly interceptor: Interceptor;
  readonly onDecision: DecisionSink;
  readonly signal: () => AbortSignal | undefined;
  /** Names the request in errors. */
  readonly subject: string;
}

interface Passage<Result, Changes> {
  readonly hook: (next: (changes?: Changes) => Promise<Result>) => unknown;
  /** @throws {TypeError} Synchronously, if the changes are invalid. */
  readonly proceed: (changes?: Changes) => Promise<Result>;
  readonly isResult: (value: unknown) => value is Result;
}

type Ending<Result> = { readonly result: Result } | { readonly error: unknown };

/** One interceptor during one request. */
export class Step<Result extends object, Changes = never> {
  readonly #parts: StepParts;
  readonly #passage: Passage<Result, Changes>;
  #below: Promise<Result> | undefined;
  #ending: Ending<Result> | undefined;
  #isSettling = false;
  #isOver = false;

  constructor(parts: StepParts, passage: Passage<Result, Changes>) {
    this.#parts = parts;
    this.#passage = passage;
  }

  /** Runs the hook. Errors of `proceed` pass unchanged; all others refuse the request. */
  run(): Promise<Result> {
    let answer: unknown;
    try {
      answer = this.#passage.hook((changes) => this.#next(changes));
    } catch (error) {
      this.#isOver = true;
      this.#below?.catch(() => undefined);
      return Promise.reject(this.#refusal(error));
    }
    // A hook that only passes costs no further promise.
    if (this.#below !== undefined && answer === this.#below) return this.#below;
    this.#isSettling = true;
    this.#recordEnding();
    return this.#settle(answer);
  }

  #next(changes: Changes | undefined): Promise<Result> {
    const { name } = this.#parts.interceptor;
    if (this.#below !== undefined) return handled(new TypeError(`The interceptor "${name}" called next() twice`));
    if (this.#isOver) return handled(new TypeError(`The interceptor "${name}" called next() after its end`));
    try {
      this.#below = this.#passage.proceed(changes);
    } catch (error) {
      return handled(error);
    }
    if (this.#isSettling) this.#recordEnding();
    return this.#below;
  }

  /** Also keeps a failure from being unhandled if the hook does not wait for it. */
  #recordEnding(): void {
    this.#below?.then(
      (result) => {
        this.#ending = { result };
      },
      (error) => {
        this.#ending = { error };
      },
    );
  }

  async #settle(answer: unknown): Promise<Result> {
    try {
      const result = await answer;
      const passed = this.#ending !== undefined && 'result' in this.#ending ? this.#ending.result : undefined;
      if (passed !== undefined && result === passed) return passed;
      if (!this.#passage.isResult(result)) throw noResult(this.#parts);
      decide(this.#parts, passed === undefined ? 'answered' : 'changed');
      return result;
    } catch (error) {
      const signal = this.#parts.signal();
      const isPassed = this.#ending !== undefined && 'error' in this.#ending && this.#ending.error === error;
      if (isPassed || (signal?.aborted && signal.reason === error)) throw error;
      throw this.#refusal(error);
    } finally {
      this.#isOver = true;
    }
  }

  #refusal(error: unknown): RegistryError {
    return refusal(this.#parts, error, { mayHaveRun: this.#below !== undefined });
  }
}

/** A hook may not wait for it. */
function handled(error: unknown): Promise<never> {
  const rejected = Promise.reject(error);
  rejected.catch(() => undefined);
  return rejected;
}

export function refusal(
  { interceptor, subject, onDecision }: StepParts,
  error: unknown,
  { mayHaveRun }: { readonly mayHaveRun: boolean },
): RegistryError {
  decide({ interceptor, onDecision }, 'refused');
  if (isRegistryError(error) && error.code === 'refused') return error;
  const effect = mayHaveRun ? 'it may have had its effect' : 'it was not run';
  const message = `The interceptor "${interceptor.name}" failed for ${subject}; ${effect}`;
  return new RegistryError('refused', message, { cause: error });
}

export function noResult({ interceptor }: StepParts): TypeError {
  return new TypeError(`The interceptor "${interceptor.name}" returned no result`);
}

export function decide(
  { interceptor, onDecision }: Pick<StepParts, 'interceptor' | 'onDecision'>,
  decision: InterceptorDecision['decision'],
  note?: string,
): void {
  onDecision?.({ interceptor: interceptor.name, decision, ...(note !== undefined && { note }) });
}

/** Adds what is created on read, because a signal costs more than the rest of a call. */
export function intercepted<Facts extends object>(facts: Facts, parts: StepParts): Facts & RequestParts {
  return Object.assign(new RequestParts(parts), facts);
}

export class RequestParts implements Pick<InterceptedRequest, 'signal' | 'note'> {
  readonly #parts: StepParts;

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#parts.signal() ?? AbortSignal.abort();
  }

  get note(): (text: string) => void {
    return (text) => decide(this.#parts, 'noted', String(text));
  }
}
