/** The system's store for secrets. */
export interface KeyStore {
  /** @returns `undefined` if the name has no secret. */
  read(name: string): Promise<string | undefined>;
  write(name: string, secret: string): Promise<void>;
}

/** Also in references of a config: `keychain:mcpx/NAME`. */
export const keychainService = 'mcpx';

/**
 * Keychain, Credential Manager, or the Secret Service. Not the kernel's keyring, which is cleared at a reboot. Loads
 * its library on first use.
 */
export function systemKeyStore(): KeyStore {
  return {
    read: async (name) => (await (await entry(name)).getPassword()) ?? undefined,
    write: async (name, secret) => (await entry(name)).setPassword(secret),
  };
}

async function entry(name: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(keychainService, name, { linux: { store: 'secret-service' } });
}
