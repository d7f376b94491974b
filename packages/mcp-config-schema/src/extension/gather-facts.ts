import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pythonPlaces } from './python-places.js';

export interface PythonSearch {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Python of the first virtual environment. Returns the link in it: the target lacks the environment's packages. */
export async function findPython(folders: readonly string[], search: PythonSearch): Promise<string | undefined> {
  for (const { python, onlyWith } of pythonPlaces(folders, search)) {
    const counts = onlyWith === undefined || (await exists(onlyWith));
    if (counts && (await isProgram(python))) return python;
  }
  return undefined;
}

export async function findOwnPaths(
  paths: readonly string[],
  { folder, root }: { readonly folder: string; readonly root: string },
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const path of new Set(paths)) {
    if ((await exists(resolve(folder, path))) && !(await exists(resolve(root, path)))) own.add(path);
  }
  return own;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    await access(path, constants.X_OK);
    return found.isFile();
  } catch {
    return false; // includes broken links and inaccessible folders
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false; // an inaccessible file cannot be started either
  }
}
