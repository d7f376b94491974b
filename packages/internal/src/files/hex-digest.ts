import { createHash } from 'node:crypto';

/**
 * The first `digits` of the 64 hexadecimal digits of a text's SHA-256. Not for secrets: a text that can be guessed can
 * be confirmed.
 */
export function hexDigest(text: string | Uint8Array, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
