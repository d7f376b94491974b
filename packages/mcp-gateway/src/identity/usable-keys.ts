import { bytesToHex } from '@noble/hashes/utils.js';
import { isRecord } from '@x/internal/json';
import { base64url, importJWK, type JSONWebKeySet, type JWK } from 'jose';

/** RFC 7518 3.3. */
const MIN_RSA_BITS = 2048;
const CURVES: ReadonlyMap<string, string> = new Map([
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['Ed25519', 'EdDSA'],
]);

/**
 * Keeps the keys that can verify a token. A bad one (short RSA key, unknown curve, damaged key) fails only when used,
 * and would then fail tokens of valid keys.
 */
export async function usableKeys(keys: readonly unknown[]): Promise<JSONWebKeySet> {
  const usable = await Promise.all(keys.map(async (key) => (await isUsable(key)) && (key as JWK)));
  return { keys: usable.filter((key) => key !== false) };
}

async function isUsable(key: unknown): Promise<boolean> {
  if (!isRecord(key)) return false;
  const { kty, crv, n } = key;
  const algorithm = kty === 'RSA' ? 'RS256' : CURVES.get(String(crv));
  if (algorithm === undefined) return false;
  try {
    if (kty === 'RSA' && bitsOf(n) < MIN_RSA_BITS) return false;
    // jose checks the declared use with each token.
    const { alg: _alg, use: _use, key_ops: _operations, ...material } = key;
    await importJWK(material as unknown as JWK, algorithm);
    return true;
  } catch {
    return false;
  }
}

/** Bit length of a base64url integer. Throws for any other text. */
function bitsOf(integer: unknown): number {
  return BigInt(`0x${bytesToHex(base64url.decode(integer as string))}`).toString(2).length;
}
