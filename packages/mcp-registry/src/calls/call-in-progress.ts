import type { CallToolOptions, ToolProgress } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { longestTimerMs } from '@x/internal/options';
import type { Lifetime, LifetimeListener } from '../catalog/lifetime.js';
import { RegistryError } from '../errors.js';

/** Controllers of settled calls: not aborted, without listeners. */
const reusable: AbortController[] = [];
const MAX_REUSABLE = 64;

export interface CallBounds {
  readonly lifetime: Lifetime;
  readonly options: CallToolOptions;
  readonly tool: string;
  /** Added to `options.timeoutMs`. Default 0. */
  readonly graceMs?: number;
  /** True if `signal` has no listeners left after the result. Default `false`. */
  readonly isSignalReusable?: boolean;
}

/**
 * One call until its result, the caller's abort, the time limit or the end of the registry. The object itself is the
 * listener, because closures per call cost more than the call.
 */
export class CallInProgress<Result> implements LifetimeListener {
  readonly isCall = true;
  readonly #bounds: CallBounds;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  /** True while the tool has certainly not received the call. */
  isUnsent = false;
  #state: 'running' | 'ended' | 'settled' = 'running';
  #reason: unknown;
  #controller: AbortController | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  /** Adds listeners, so `settle` must follow. */
  constructor(bounds: CallBounds) {
    this.#bounds = bounds;
    const { lifetime, options, graceMs = 0 } = bounds;
    options.signal?.addEventListener('abort', this);
    lifetime.addListener(this);
    if (options.timeoutMs !== undefined) {
      this.#timer = setTimeout(endInTime, Math.min(options.timeoutMs + graceMs, longestTimerMs), this);
    }
  }

  /** Aborts when the call ends without a result. Created on first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = (this.#bounds.isSignalReusable && reusable.pop()) || new AbortController();
      if (this.#state === 'ended') this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Settles as `result` does, or rejects as soon as the call ends. */
  settle(result: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      result.then(
        (value) => {
          this.#finish();
          resolve(value);
        },
        (error) => {
          this.#finish();
          reject(error);
        },
      );
      if (this.#state === 'ended') reject(this.#reason);
    });
  }

  /** @throws The reason, if the call has ended without a result. */
  throwIfEnded(): void {
    if (this.#state === 'ended') throw this.#reason;
  }

  /** Drops progress once the call has settled. */
  report(progress: ToolProgress): void {
    const { onProgress } = this.#bounds.options;
    if (this.#state !== 'running' || onProgress === undefined) return;
    callListener('An onProgress listener', () => onProgress(progress));
  }

  /** Handles the abort of the caller's signal. */
  handleEvent(): void {
    this.#end(this.#bounds.options.signal?.reason);
  }

  lifetimeOver(reason: unknown): void {
    this.#end(reason);
  }

  timeOver(): void {
    const { tool, options } = this.#bounds;
    const message = this.isUnsent
      ? `The call of ${tool} was not ready within ${options.timeoutMs} milliseconds; it may need an approval. It was not run`
      : `The tool ${tool} did not answer within ${options.timeoutMs} milliseconds; it may or may not have had its effect`;
    this.#end(new RegistryError('timed-out', message, { tool }));
  }

  #end(reason: unknown): void {
    if (this.#state !== 'running') return;
    this.#state = 'ended';
    this.#reason = reason;
    this.#stopListening();
    this.#reject?.(reason);
    this.#controller?.abort(reason);
  }

  #finish(): void {
    if (this.#state !== 'running') return;
    this.#state = 'settled';
    this.#stopListening();
    const isKept = this.#bounds.isSignalReusable === true && reusable.length < MAX_REUSABLE;
    if (isKept && this.#controller !== undefined) reusable.push(this.#controller);
  }

  #stopListening(): void {
    const { lifetime, options } = this.#bounds;
    lifetime.removeListener(this);
    options.signal?.removeEventListener('abort', this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}

// Avoids a closure per timer.
function endInTime(call: { timeOver(): void }): void {
  call.timeOver();
}
