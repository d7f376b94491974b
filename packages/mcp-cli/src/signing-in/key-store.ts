/** The system's place for secrets. */
export interface KeyStore {
  /** @returns `undefined` when nothing is kept under the name. */
  read(name: string): Promise<string | undefined>;
  write(name: string, secret: string): Promise<void>;
}

const service = 'mcpx';

/**
 * Keychain, Credential Manager, or the Secret Service. The kernel's keyring, which forgets when the machine is started
 * anew, does not count. Nothing is loaded before it is used.
 */
export function systemKeyStore(): KeyStore {
  return {
    read: async (name) => (await (await entry(name)).getPassword()) ?? undefined,
    write: async (name, secret) => (await entry(name)).setPassword(secret),
  };
}

async function entry(name: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
}
