import { isAbsolute, relative, sep } from 'node:path';

/**
 * The path from `directory` to `path`, and `''` for the directory itself. `undefined`: `path` is outside of it. Both are
 * absolute; links are not followed.
 */
export function relativeInside(path: string, directory: string): string | undefined {
  const way = relative(directory, path);
  // On Windows the way to another drive is absolute.
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
