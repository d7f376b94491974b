import type { CallToolOptions, ToolProgress } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { longestTimerMs } from '@x/internal/options';
import type { Lifetime, LifetimeListener } from '../catalog/lifetime.js';
import { RegistryError } from '../errors.js';

/** Controllers of settled calls: never aborted, without listeners. */
const reusable: AbortController[] = [];
const MAX_REUSABLE = 64;

/** Limits of a call. */
export interface CallBounds {
  /** Its abort ends the call. */
  readonly lifetime: Lifetime;
  readonly options: CallToolOptions;
  /** The tool's name in errors. */
  readonly tool: string;
  /** Time from `options.timeoutMs` to the end of the call. Default 0. */
  readonly graceMs?: number;
  /** True if `signal` has neither listeners nor readers left once the call has its result. Default `false`. */
  readonly isSignalReusable?: boolean;
}

/**
 * One call until it settles: with its result, or with the first of the caller's signal, the time limit and the end of
 * the registry. The object itself is every listener of a call: with 64 calls in progress, closures and controllers for
 * each would cost more than the calls.
 */
export class CallInProgress<Result> implements LifetimeListener {
  readonly #bounds: CallBounds;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #state: 'running' | 'ended' | 'settled' = 'running';
  #reason: unknown;
  #controller: AbortController | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  /** Starts listening, so `settle` must follow. */
  constructor(bounds: CallBounds) {
    this.#bounds = bounds;
    const { lifetime, options, graceMs = 0 } = bounds;
    options.signal?.addEventListener('abort', this);
    lifetime.join(this);
    if (options.timeoutMs !== undefined) {
      this.#timer = setTimeout(endInTime, Math.min(options.timeoutMs + graceMs, longestTimerMs), this);
    }
  }

  /** Aborts when the call ends without its result. Created on first read. */
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
          this.#leave();
          resolve(value);
        },
        (error) => {
          this.#leave();
          reject(error);
        },
      );
      if (this.#state === 'ended') reject(this.#reason);
    });
  }

  /** Passes progress to the caller; drops it once the call has settled. */
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
    const message = `The tool ${tool} did not answer within ${options.timeoutMs} milliseconds; it may or may not have had its effect`;
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

  #leave(): void {
    if (this.#state !== 'running') return;
    this.#state = 'settled';
    this.#stopListening();
    const isKept = this.#bounds.isSignalReusable === true && reusable.length < MAX_REUSABLE;
    if (isKept && this.#controller !== undefined) reusable.push(this.#controller);
  }

  #stopListening(): void {
    const { lifetime, options } = this.#bounds;
    lifetime.leave(this);
    options.signal?.removeEventListener('abort', this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}

// A separate function, so that the timer needs no closure.
function endInTime(call: { timeOver(): void }): void {
  call.timeOver();
}

/** @throws {TypeError} if it is out of bounds. */
export function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  if (Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimerMs) return;
  throw new TypeError(`timeoutMs must be more than 0 and at most ${longestTimerMs} milliseconds, got ${timeoutMs}`);
}
