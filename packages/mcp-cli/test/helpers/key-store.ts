import type { KeyStore } from '../../src/signing-in/key-store.js';

/** A key store in memory, with what is kept in it to be seen. */
export function keyStoreInMemory(): KeyStore & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    read: async (name) => kept.get(name),
    write: async (name, secret) => void kept.set(name, secret),
  };
}
