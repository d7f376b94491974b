/** Requests begin without a wait for this long in one turn of the event loop, in milliseconds. */
const TURN_MS = 16;

/**
 * Lets requests begin one by one when many arrive at once, so that sockets and timers have their turn between two of
 * them. Callers take turns, each in the order its requests came.
 */
export class RequestTurns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #began = 0;
  #isScheduled = false;

  /** @returns Resolves when a request of the caller may begin; `undefined`: at once. */
  take(caller: string): Promise<void> | undefined {
    const now = performance.now();
    if (!this.#isScheduled) this.#schedule(now);
    if (this.#waiting.size === 0 && now - this.#began <= TURN_MS) return undefined;
    return new Promise((resolve) => {
      const queue = this.#waiting.get(caller);
      if (queue === undefined) this.#waiting.set(caller, [resolve]);
      else queue.push(resolve);
    });
  }

  #schedule(now: number): void {
    this.#isScheduled = true;
    this.#began = now;
    soon(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [caller, queue] = first;
    const begin = queue.shift();
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue); // last from now on
    this.#schedule(performance.now());
    begin?.();
  }
}

function soon(work: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(work);
  else setTimeout(work, 0);
}
