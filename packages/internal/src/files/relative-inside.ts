import { isAbsolute, relative, sep } from 'node:path';

/**
 * The path from `directory` to `path`: `''` for the directory itself, `undefined` outside of it. Both are absolute;
 * links are not followed.
 */
export function relativeInside(path: string, directory: string): string | undefined {
  const way = relative(directory, path);
  // On Windows the path to another drive is absolute.
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
