import { createHash } from 'node:crypto';

/** The first `digits` of a text's SHA-256 in hexadecimal. Not for secrets: a guess can be confirmed. */
export function hexDigest(text: string | Uint8Array, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
