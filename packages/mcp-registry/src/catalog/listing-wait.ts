import { timerIfAllowed } from '../timers.js';

/**
 * One wait for a source's list. Creates its signal and its timer on demand: a Cloudflare Worker allows neither outside
 * of a request, and attaching a source must work there.
 */
export class ListingWait {
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  /** Aborts when the list is no longer needed. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  /** Settles as `answer` does, or rejects when the time limit passes or the wait is ended. */
  async within(timeoutMs: number, answer: PromiseLike<unknown>): Promise<unknown> {
    const timer = timerIfAllowed(() => this.end(new Error(`no answer within ${timeoutMs} milliseconds`)), timeoutMs);
    const ended = new Promise<never>((_, reject) => {
      this.#reject = reject;
      if (this.#end !== undefined) reject(this.#end.reason);
    });
    try {
      return await Promise.race([answer, ended]);
    } finally {
      clearTimeout(timer);
    }
  }

  end(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    this.#reject?.(reason);
    this.#controller?.abort(reason);
  }
}
