import { SOURCE_PREFIX } from '@x/internal/names';

/**
 * True if a native tool may have this name: 1 to 64 characters of `[A-Za-z0-9_-]`, without the prefix of sources'
 * tools.
 */
export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}
