import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Prefix of a sealed text; JSON, as plain sign-ins are, never begins with it. */
const prefix = 'sealed:1:';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function newSealingKey(): Buffer {
  return randomBytes(32);
}

export function isSealed(text: string): boolean {
  return text.startsWith(prefix);
}

/** @param options.location - Where the text is stored; unsealing for another location fails. */
export function seal(text: string, { key, location }: { readonly key: Buffer; readonly location: string }): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(location));
  const bytes = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
  return prefix + Buffer.concat(bytes).toString('base64url');
}

/** @returns `undefined` for another key or place, or for changed text. */
export function unseal(
  sealed: string,
  { key, location }: { readonly key: Buffer; readonly location: string },
): string | undefined {
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(location))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
  } catch {
    return undefined;
  }
}
