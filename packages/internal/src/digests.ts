import { sha256 } from '@noble/hashes/sha2.js';

const encoder = new TextEncoder();

/** SHA-256 of a text, in any runtime. Node's own hash takes an eighth of the time. */
export function sha256Of(text: string): Uint8Array {
  // Not an import, which other runtimes could not resolve.
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto?.hash?.('sha256', text, 'buffer') ?? portableSha256Of(text);
}

export function portableSha256Of(text: string): Uint8Array {
  return sha256(encoder.encode(text));
}

const DIGEST_LENGTH = 8;
const DIGEST_VALUES = 36n ** BigInt(DIGEST_LENGTH);

/**
 * Eight characters of `[a-z0-9]`: FNV-1a with 64 bits over UTF-16 code units. Detects mistakes, such as a cursor of
 * another search. Not for texts that strangers choose: collisions are easy to construct.
 */
export function digest(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    for (const byte of [unit & 0xff, unit >>> 8]) {
      low = (low ^ byte) >>> 0;
      // Times the prime 2^40 + 0x1b3, in halves of 32 bits: each product stays below 2^53.
      const lowProduct = low * 0x1b3;
      high = (high * 0x1b3 + Math.floor(lowProduct / 2 ** 32) + low * 2 ** 8) % 2 ** 32;
      low = lowProduct >>> 0;
    }
  }
  const value = (BigInt(high) << 32n) | BigInt(low);
  return (value % DIGEST_VALUES).toString(36).padStart(DIGEST_LENGTH, '0');
}
