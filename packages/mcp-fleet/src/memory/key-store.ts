import type { BucketChange } from '../bus.js';
import { FleetError } from '../errors.js';

/** The keys of a broker in memory. A key that was deleted keeps its revision, as in a log. */
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
   * @param value - `undefined` takes it away.
   * @param expected - As `revision` of `WriteOptions`.
   * @throws {FleetError} `conflict`.
   */
  write(key: string, value: Uint8Array | undefined, expected: number | undefined): BucketChange {
    const before = this.#newest.get(key);
    if (expected !== undefined && !isNewest(before, expected)) {
      const found = before === undefined ? 'it has none' : `it is at ${before.revision}`;
      throw new FleetError('conflict', `The key ${key} was to be at revision ${expected}, and ${found}`);
    }
    this.#revision += 1;
    this.#writtenAtMs = Math.max(this.#writtenAtMs, Date.now());
    const change = {
      key,
      value: value && new Uint8Array(value),
      revision: this.#revision,
      writtenAtMs: this.#writtenAtMs,
    };
    // So that all are told in the order of their revisions.
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

/** Nobody who got an entry can change what others get. */
export function copyOf<Change extends BucketChange>(change: Change): Change {
  return { ...change, value: change.value && new Uint8Array(change.value) };
}
