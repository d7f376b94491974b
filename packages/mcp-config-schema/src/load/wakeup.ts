/** A waiting loop that can be notified. Notifications between two waits count for the next one. */
export class Wakeup {
  #isPending = false;
  #isOver = false;
  #isResting = false;
  #wake: (() => void) | undefined;
  #settle: (() => void)[] = [];

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
    this.#resolveSettled();
  };

  /** Like `wait`, with all work done: `settled` resolves meanwhile. */
  async rest(timeoutMs: number): Promise<boolean> {
    this.#isResting = true;
    this.#resolveSettled();
    const isNotified = await this.wait(timeoutMs);
    this.#isResting = false;
    return isNotified;
  }

  /** Resolves when the work for all notifications so far is done, or the loop is over. */
  async settled(): Promise<void> {
    if (!this.#isSettled) await new Promise<void>((resolve) => this.#settle.push(resolve));
  }

  get #isSettled(): boolean {
    return this.#isOver || (this.#isResting && !this.#isPending);
  }

  #resolveSettled(): void {
    if (!this.#isSettled) return;
    for (const resolve of this.#settle.splice(0)) resolve();
  }

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
