/** So many sessions may be renewed in so long a time, in milliseconds, before their ends count as failures. */
const maxRenewals = 10;
const periodMs = 10_000;

/**
 * Sessions of a server that is reached by URL end without a fault: it forgets those that are idle, or a token runs out.
 * They are renewed at once. A server that ends each right away would be asked without end, so there is a limit to that.
 */
export class SessionRenewals {
  readonly #at: number[] = [];

  /** Takes one renewal, if there is one left. */
  take(): boolean {
    const now = performance.now();
    while (this.#at[0] !== undefined && this.#at[0] <= now - periodMs) this.#at.shift();
    if (this.#at.length >= maxRenewals) return false;
    this.#at.push(now);
    return true;
  }
}
