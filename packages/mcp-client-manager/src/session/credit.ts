/** What may pass at once, and how much more each second after that. */
const burst = 1_000;
export const perSecond = 200;

/** Lets things through at a rate that no listener drowns in. */
export class Credit {
  #left = burst;
  #at = performance.now();

  /** @returns Whether there was any left, and one more may pass. */
  take(): boolean {
    if (this.#left < 1) this.#refill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  #refill(): void {
    const now = performance.now();
    this.#left = Math.min(this.#left + ((now - this.#at) * perSecond) / 1_000, burst);
    this.#at = now;
  }
}
