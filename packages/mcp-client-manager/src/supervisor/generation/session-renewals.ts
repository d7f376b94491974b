const maxRenewals = 10;
const periodMs = 10_000;

/**
 * A session that ends by idleness or an expired token is renewed at once. The limit stops a server that ends each new
 * session right away.
 */
export class SessionRenewals {
  readonly #at: number[] = [];

  tryUse(): boolean {
    const now = performance.now();
    while (this.#at[0] !== undefined && this.#at[0] <= now - periodMs) this.#at.shift();
    if (this.#at.length >= maxRenewals) return false;
    this.#at.push(now);
    return true;
  }
}
