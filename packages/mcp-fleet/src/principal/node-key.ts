import { exportJWK, generateKeyPair } from 'jose';
import { FleetError } from '../errors.js';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface NodeKey {
  /** Not extractable. */
  readonly privateKey: KeyPair['privateKey'];
  /** Published in the lease: a JSON Web Key, Ed25519. */
  readonly publicKey: Readonly<Record<string, unknown>>;
}

/**
 * Creates a key pair.
 *
 * @throws {FleetError} `unsuitable-runtime`: the runtime has no Ed25519, such as one in FIPS mode.
 */
export async function createNodeKey(): Promise<NodeKey> {
  try {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    return { privateKey, publicKey: await exportJWK(publicKey) };
  } catch (cause) {
    const message = 'This runtime cannot create Ed25519 keys, which nodes need to sign their calls';
    throw new FleetError('unsuitable-runtime', message, { cause });
  }
}
