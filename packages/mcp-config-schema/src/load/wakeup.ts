/** A loop of work that is idle until it is notified. Notifications during work count for the next work. */
export class Wakeup {
  #isPending = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #notifications = 0;
  /** Notifications before the present work. Grows with each work. */
  #begun = 0;
  /** Notifications before the last finished work. */
  #done = -1;
  #waiting: { readonly for: number; readonly resolve: () => void }[] = [];

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly notify = (): void => {
    this.#notifications++;
    this.#isPending = true;
    this.#wake?.();
  };

  readonly end = (): void => {
    this.#isOver = true;
    this.#wake?.();
    this.#resolveWaiting();
  };

  /** Waits between two works: for a notification or a timeout, then for a time without notifications. */
  async idle({ timeoutMs, quietMs }: { readonly timeoutMs: number; readonly quietMs: number }): Promise<void> {
    this.#done = this.#begun;
    this.#resolveWaiting();
    // A busy directory must not delay the work forever.
    let bursts = 0;
    for (let isBusy = await this.#wait(timeoutMs); isBusy && bursts < 20; bursts++) isBusy = await this.#wait(quietMs);
    if (this.#notifications === this.#done) this.#notifications++; // for the timeout
    this.#begun = this.#notifications;
  }

  /** Resolves when the present work is done, or the loop is over. */
  finished(): Promise<void> {
    return this.#until(this.#begun);
  }

  /** Notifies, and resolves when the work for it is done, or the loop is over. */
  notifyAndFinish(): Promise<void> {
    this.notify();
    return this.#until(this.#notifications);
  }

  /** Waits for a time regardless of notifications, unless ended. */
  async pause(timeMs: number): Promise<void> {
    const until = performance.now() + timeMs;
    for (let left = timeMs; left > 0 && !this.#isOver; left = until - performance.now()) await this.#sleep(left);
  }

  async #until(notifications: number): Promise<void> {
    if (this.#isOver || this.#done >= notifications) return;
    await new Promise<void>((resolve) => this.#waiting.push({ for: notifications, resolve }));
  }

  #resolveWaiting(): void {
    const isDone = ({ for: notifications }: { readonly for: number }) => this.#isOver || this.#done >= notifications;
    const done = this.#waiting.filter(isDone);
    this.#waiting = this.#waiting.filter((waiting) => !isDone(waiting));
    for (const { resolve } of done) resolve();
  }

  /** Waits for a notification or a timeout. Returns true if notified. */
  async #wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending && !this.#isOver) await this.#sleep(timeoutMs);
    const wasPending = this.#isPending && !this.#isOver;
    this.#isPending = false;
    return wasPending;
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
