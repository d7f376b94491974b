import { createHash } from 'node:crypto';

/** The first `digits` hexadecimal digits of a text's SHA-256, of 64. Whoever has the text has them: not for secrets. */
export function hexDigest(text: string | Uint8Array, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
