/**
 * Where sign-ins are kept. Values are secrets; a store shows them to nobody. A keychain that takes texts fits with three
 * lines.
 */
export interface TokenStore {
  /** @returns `undefined` when nothing is kept under `key`. */
  read(key: string): Promise<string | undefined>;
  /** Keeps `value` under `key`, in place of what was there. */
  write(key: string, value: string): Promise<void>;
  /** Forgets what is kept under `key`, if anything is. */
  remove(key: string): Promise<void>;
  /**
   * Waits until nobody holds `key` any more, in whatever process, and holds it until the result is called. Held while a
   * token is renewed, since many an authorization server takes a refresh token only once. Leave it out if only one
   * process uses the store.
   */
  hold?(key: string): Promise<() => Promise<void>>;
}
