import { realpathSync } from 'node:fs';

/** Where the links of `path` lead; the path itself where nothing is, which is told of when it is read. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
