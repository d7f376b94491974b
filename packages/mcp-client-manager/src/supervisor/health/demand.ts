/** Counts the calls in progress, queued or sent, and reports a server that was unused for its idle limit. */
export class Demand {
  readonly #onUnused: () => void;
  #calls = 0;
  #lastUsed = 0;
  #limitMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  get calls(): number {
    return this.#calls;
  }

  begin(): void {
    this.#calls += 1;
  }

  end(): void {
    this.#calls -= 1;
    this.touch();
  }

  /** Marks a use without a duration. */
  touch(): void {
    if (this.#limitMs !== undefined) this.#lastUsed = performance.now();
  }

  /** Starts to watch for disuse. `undefined`: no limit. */
  watch(limitMs: number | undefined): void {
    this.stop();
    this.#limitMs = limitMs;
    this.touch();
    if (limitMs !== undefined) this.#scheduleCheck(limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#limitMs = undefined;
  }

  /** One timer for any number of calls: it checks the remaining time, instead of a reset by each call. */
  #scheduleCheck(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const limitMs = this.#limitMs;
      if (limitMs === undefined) return;
      const leftMs = this.#calls > 0 ? limitMs : this.#lastUsed + limitMs - performance.now();
      if (leftMs > 0) this.#scheduleCheck(Math.ceil(leftMs));
      else this.#onUnused();
    }, delayMs);
    this.#timer.unref();
  }
}
