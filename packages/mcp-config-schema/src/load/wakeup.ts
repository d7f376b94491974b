/** One sleeper that others can wake. What happens while it is awake is kept for the next sleep. */
export class Wakeup {
  #isPending = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly notify = (): void => {
    this.#isPending = true;
    this.#wake?.();
  };

  /** Wakes for good: every later sleep is over at once. */
  readonly end = (): void => {
    this.#isOver = true;
    this.#wake?.();
  };

  /** Sleeps until it is notified, or for a time. Says whether it was notified. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending && !this.#isOver) await this.#sleep(timeoutMs);
    const wasPending = this.#isPending && !this.#isOver;
    this.#isPending = false;
    return wasPending;
  }

  /** Sleeps for a time whatever happens, unless it ends. */
  async rest(timeMs: number): Promise<void> {
    const until = performance.now() + timeMs;
    for (let left = timeMs; left > 0 && !this.#isOver; left = until - performance.now()) await this.#sleep(left);
  }

  async #sleep(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
