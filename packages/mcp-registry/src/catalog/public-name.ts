import { SOURCE_PREFIX } from '@x/internal/names';

/** Whether a native tool may have this name: `[A-Za-z0-9_-]`, 1 to 64 characters, not as a source's tool would be. */
export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}
