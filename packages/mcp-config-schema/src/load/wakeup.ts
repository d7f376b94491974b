/** A waiting loop that can be notified. Notifications between two waits count for the next one. */
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

  readonly end = (): void => {
    this.#isOver = true;
    this.#wake?.();
  };

  /** Waits for a notification or a timeout. Returns true if notified. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending && !this.#isOver) await this.#sleep(timeoutMs);
    const wasPending = this.#isPending && !this.#isOver;
    this.#isPending = false;
    return wasPending;
  }

  /** Waits for a time regardless of notifications, unless ended. */
  async pause(timeMs: number): Promise<void> {
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
