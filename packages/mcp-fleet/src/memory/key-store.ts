import type { BucketChange } from '../bus.js';
import { FleetError } from '../errors.js';

/** Keys of a broker in memory. A deleted key keeps its revision, as in a log. */
export class KeyStore {
  readonly #newest = new Map<string, BucketChange>();
  #revision = 0;
  #writtenAtMs = 0;

  get(key: string): BucketChange | undefined {
    return this.#newest.get(key);
  }

  all(): readonly BucketChange[] {
    return Array.from(this.#newest.values());
  }

  /**
   * @param value - `undefined` deletes.
   * @param expected - As `revision` of `WriteOptions`.
   * @throws {FleetError} `conflict`.
   */
  write(key: string, value: Uint8Array | undefined, expected: number | undefined): BucketChange {
    const before = this.#newest.get(key);
    if (expected !== undefined && !isNewest(before, expected)) {
      const found = before === undefined ? 'it has none' : `it is at ${before.revision}`;
      throw new FleetError('conflict', `The key ${key} is not at revision ${expected}: ${found}`);
    }
    this.#revision += 1;
    this.#writtenAtMs = Math.max(this.#writtenAtMs, Date.now());
    const change = {
      key,
      value: value && new Uint8Array(value),
      revision: this.#revision,
      writtenAtMs: this.#writtenAtMs,
    };
    // Keeps the map sorted by revision.
    this.#newest.delete(key);
    this.#newest.set(key, change);
    return change;
  }

  clear(): void {
    this.#newest.clear();
    this.#revision = 0;
  }
}

function isNewest(newest: BucketChange | undefined, expected: number): boolean {
  return expected === 0 ? newest?.value === undefined : newest?.revision === expected;
}

/** Copies the value, so that receivers cannot change each other's data. */
export function copyOf<Change extends BucketChange>(change: Change): Change {
  return { ...change, value: change.value && new Uint8Array(change.value) };
}
