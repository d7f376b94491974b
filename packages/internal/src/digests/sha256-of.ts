import { sha256 } from '@noble/hashes/sha2.js';

const encoder = new TextEncoder();

/** SHA-256 of a text, in any runtime. Uses Node's hash where there is one, which takes an eighth of the time. */
export function sha256Of(text: string): Uint8Array {
  // `getBuiltinModule` does not require the runtime to have the module.
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto?.hash?.('sha256', text, 'buffer') ?? portableSha256Of(text);
}

/** SHA-256 without Node. */
export function portableSha256Of(text: string): Uint8Array {
  return sha256(encoder.encode(text));
}
