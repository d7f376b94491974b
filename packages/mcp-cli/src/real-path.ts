import { realpathSync } from 'node:fs';

/** Resolves links. Returns a path that does not exist unchanged. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
