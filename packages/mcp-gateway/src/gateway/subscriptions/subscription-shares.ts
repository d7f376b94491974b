/** Maximum number of resource subscriptions of one connection, or of one stream of changes. */
export const MAX_PER_STREAM = 1_000;
/** Maximum number of resource subscriptions of one caller, over all its connections and streams. */
const MAX_PER_CALLER = 4_000;
/** Longest URI of a subscription, in UTF-16 code units. */
export const MAX_URI_LENGTH = 8 * 1024;

/** Number of resource subscriptions per caller. They need not exist, and take memory all the same. */
export class SubscriptionShares {
  readonly #taken = new Map<string, number>();

  /** @returns `false` if the limit is reached. */
  take(owner: string): boolean {
    const taken = this.#taken.get(owner) ?? 0;
    if (taken >= MAX_PER_CALLER) return false;
    this.#taken.set(owner, taken + 1);
    return true;
  }

  giveBack(owner: string): void {
    const left = (this.#taken.get(owner) ?? 0) - 1;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }

  /** The part that fits into a new stream of the caller, without duplicates. */
  fitting(owner: string, uris: readonly unknown[]): readonly string[] {
    const room = Math.min(MAX_PER_STREAM, MAX_PER_CALLER - (this.#taken.get(owner) ?? 0));
    const fit = uris.filter((uri): uri is string => typeof uri === 'string' && uri.length <= MAX_URI_LENGTH);
    return Array.from(new Set(fit)).slice(0, Math.max(room, 0));
  }
}
