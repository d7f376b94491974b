import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Resolves links. Returns a path that does not exist unchanged. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** System error code such as `ENOENT`; `undefined` if there is none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Replaces a file in one step: readers see the old text or the new. Only the user may read the file. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // renamed, or never written
  }
}
