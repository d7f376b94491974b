/**
 * Storage of sign-ins. Values are secrets. A keychain for strings needs three lines of code.
 */
export interface TokenStore {
  /** @returns `undefined` if there is no entry. */
  read(key: string): Promise<string | undefined>;
  /** Stores or replaces an entry. */
  write(key: string, value: string): Promise<void>;
  /** Removes an entry, if there is one. */
  remove(key: string): Promise<void>;
  /**
   * Acquires a lock on `key` across processes. Resolves to a function that releases it. Taken during a renewal, since
   * many authorization servers accept a refresh token only once. Optional if only one process uses the store.
   */
  hold?(key: string): Promise<() => Promise<void>>;
}
