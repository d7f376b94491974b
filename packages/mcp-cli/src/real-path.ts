import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Where the links of `path` lead; the path itself where nothing is, which is told of when it is read. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether `path` is below `directory`. Both are absolute. */
export function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
