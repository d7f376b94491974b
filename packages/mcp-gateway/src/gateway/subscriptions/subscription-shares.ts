/** Per connection or change stream. */
export const MAX_PER_STREAM = 1_000;
/** Over all connections and streams of a caller. */
const MAX_PER_CALLER = 4_000;
/** In UTF-16 code units. */
export const MAX_URI_LENGTH = 8 * 1024;

/** Subscriptions take memory even if the resource does not exist. */
export class SubscriptionShares {
  readonly #taken = new Map<string, number>();

  /** Returns `false` if the limit is reached. */
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

  /** Returns the URIs, without duplicates, that fit into a new stream. */
  fitting(owner: string, uris: readonly unknown[]): readonly string[] {
    const room = Math.min(MAX_PER_STREAM, MAX_PER_CALLER - (this.#taken.get(owner) ?? 0));
    const fit = uris.filter((uri): uri is string => typeof uri === 'string' && uri.length <= MAX_URI_LENGTH);
    return Array.from(new Set(fit)).slice(0, Math.max(room, 0));
  }
}
