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
