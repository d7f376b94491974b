import type { SecretContext, SecretResolver } from './secret-resolver.js';
import { unavailable } from './secret-text.js';

/** Access to the system's keychain. */
export interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    /** `null` or `undefined` if the entry does not exist. */
    getPassword(signal?: AbortSignal): Promise<string | null | undefined>;
  };
}

/**
 * `keychain:SERVICE/ACCOUNT`: an entry of the system's keychain. Imports `@napi-rs/keyring` on first use; the program
 * must install it.
 *
 * @param load - Default: imports `@napi-rs/keyring`.
 */
export function keychainSecret(load: () => Promise<Keyring> = importKeyring): SecretResolver {
  return async (rest: string, { signal }: SecretContext) => {
    const slash = rest.indexOf('/');
    const [service, account] = [rest.slice(0, slash), rest.slice(slash + 1)];
    if (slash < 1 || account === '') throw unavailable(`"${rest}" does not name a service and an account`);
    const { AsyncEntry } = await load().catch((cause: unknown) => {
      throw unavailable('the keychain needs @napi-rs/keyring, which is not installed', cause);
    });
    const value = await new AsyncEntry(service, account).getPassword(signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unavailable('the keychain of this system cannot be reached, or denied access to the entry', cause);
    });
    if (value === null || value === undefined) {
      throw unavailable(`the keychain has no account "${account}" of service "${service}"`);
    }
    return value;
  };
}

async function importKeyring(): Promise<Keyring> {
  return import('@napi-rs/keyring');
}
