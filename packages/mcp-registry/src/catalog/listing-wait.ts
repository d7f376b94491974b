/**
 * One wait for a source's list. Creates signal and timer on demand, because a Cloudflare Worker allows neither outside
 * of a request.
 */
export class ListingWait {
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  /** Settles as `response`, or rejects at the time limit or the end of the wait. */
  async within(timeoutMs: number, response: PromiseLike<unknown>): Promise<unknown> {
    const timer = timerIfAllowed(() => this.end(new Error(`no answer within ${timeoutMs} milliseconds`)), timeoutMs);
    const ended = new Promise<never>((_, reject) => {
      this.#reject = reject;
      if (this.#end !== undefined) reject(this.#end.reason);
    });
    try {
      return await Promise.race([response, ended]);
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

/** `undefined` where timers are not allowed, as in a Cloudflare Worker outside of a request. */
export function timerIfAllowed(callback: () => void, ms: number): ReturnType<typeof setTimeout> | undefined {
  try {
    return setTimeout(callback, ms);
  } catch {
    return undefined; // the wait has no limit
  }
}
