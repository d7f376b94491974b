import { exportJWK, generateKeyPair } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** What one incarnation of a host signs its principals with. */
export interface HostKey {
  /** Cannot be read out of this process. */
  readonly privateKey: KeyPair['privateKey'];
  /** For the host's lease: a JSON Web Key, Ed25519. */
  readonly publicKey: Readonly<Record<string, unknown>>;
}

/** A new key, of which nobody else knows the private half. */
export async function createHostKey(): Promise<HostKey> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  return { privateKey, publicKey: await exportJWK(publicKey) };
}
