/**
 * Who uses a server: calls on their way, whether they wait for their turn or were sent. Tells when nobody has for as
 * long as its spec lets it run unused.
 */
export class Demand {
  readonly #onUnused: () => void;
  #calls = 0;
  #lastUsed = 0;
  #limitMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  /** Calls on their way. */
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

  /** Somebody uses the server, for no time that could be measured. */
  touch(): void {
    if (this.#limitMs !== undefined) this.#lastUsed = performance.now();
  }

  /** Watches from now on, whatever was before. `undefined` watches nothing. */
  watch(limitMs: number | undefined): void {
    this.rest();
    this.#limitMs = limitMs;
    this.touch();
    if (limitMs !== undefined) this.#lookAfter(limitMs);
  }

  rest(): void {
    clearTimeout(this.#timer);
    this.#limitMs = undefined;
  }

  /** One timer however many calls there are: it looks how much of the time is left, instead of being set by each. */
  #lookAfter(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const limitMs = this.#limitMs;
      if (limitMs === undefined) return;
      const leftMs = this.#calls > 0 ? limitMs : this.#lastUsed + limitMs - performance.now();
      if (leftMs > 0) this.#lookAfter(Math.ceil(leftMs));
      else this.#onUnused();
    }, delayMs);
    this.#timer.unref(); // the end of the host ends the server, too
  }
}
