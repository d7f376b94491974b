/** Reports a server that was unused for its idle limit. */
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

  touch(): void {
    if (this.#limitMs !== undefined) this.#lastUsed = performance.now();
  }

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

  /** One timer serves any number of calls. */
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
