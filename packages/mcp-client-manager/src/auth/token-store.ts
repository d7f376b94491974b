/** Storage of sign-ins. Values are secrets. */
export interface TokenStore {
  /** @returns `undefined` if there is no entry. */
  read(key: string): Promise<string | undefined>;
  /** Stores or replaces an entry. */
  write(key: string, value: string): Promise<void>;
  /** Removes an entry, if there is one. */
  remove(key: string): Promise<void>;
  /**
   * Locks `key` across processes and resolves to its release. Used for renewals, since a refresh token may be valid
   * only once. Optional if only one process uses the store.
   */
  hold?(key: string): Promise<() => Promise<void>>;
}
