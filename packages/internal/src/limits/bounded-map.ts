/** A map of at most `max` entries: each further one drops the oldest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** Adds an entry as the newest, or replaces the value of one that keeps its age. */
  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.delete(this.keys().next().value as Key);
    return this;
  }

  /** As `set`, but the entry is the newest in any case. */
  renew(key: Key, value: Value): this {
    this.delete(key);
    return this.set(key, value);
  }
}
