import { sha256Of } from '@x/internal/digests';

const DIGEST_BYTES = 18;

/** 144 bits of SHA-256 in 24 characters. */
export function digestOf(text: string): string {
  return btoa(String.fromCharCode(...sha256Of(text).subarray(0, DIGEST_BYTES)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
