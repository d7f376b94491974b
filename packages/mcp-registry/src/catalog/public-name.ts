import { SOURCE_PREFIX } from '@x/internal/names';

/**
 * True if a native tool may have this name: `[A-Za-z0-9_-]`, 1 to 64 characters, not in the form of a source's tool.
 */
export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}
