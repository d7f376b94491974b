import { exportJWK, generateKeyPair } from 'jose';
import { FleetError } from '../errors.js';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** What one incarnation of a node signs its principals with. */
export interface NodeKey {
  /** Cannot be read out of this process. */
  readonly privateKey: KeyPair['privateKey'];
  /** For the node's lease: a JSON Web Key, Ed25519. */
  readonly publicKey: Readonly<Record<string, unknown>>;
}

/**
 * A new key, of which nobody else knows the private half.
 *
 * @throws {FleetError} `unsuitable-runtime`: there is no Ed25519 here, as in a runtime that is held to what FIPS has approved.
 */
export async function createNodeKey(): Promise<NodeKey> {
  try {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    return { privateKey, publicKey: await exportJWK(publicKey) };
  } catch (cause) {
    const message = 'This runtime makes no Ed25519 keys, with which nodes sign their calls, so it can join no fleet';
    throw new FleetError('unsuitable-runtime', message, { cause });
  }
}
