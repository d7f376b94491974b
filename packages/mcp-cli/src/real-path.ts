import { realpathSync } from 'node:fs';

/** The path with links resolved; the unchanged path if it does not exist, which reading it reports. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
