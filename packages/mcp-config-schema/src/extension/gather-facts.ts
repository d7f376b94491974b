import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pythonPlaces } from './python-places.js';

export interface PythonSearch {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The Python of the virtual environment that belongs to the first of the folders that has one. The path is that of the
 * link inside of the environment: what it leads to is a Python without the environment's packages.
 */
export async function findPython(folders: readonly string[], search: PythonSearch): Promise<string | undefined> {
  for (const { python, onlyWith } of pythonPlaces(folders, search)) {
    const counts = onlyWith === undefined || (await exists(onlyWith));
    if (counts && (await isProgram(python))) return python;
  }
  return undefined;
}

/** Those of the paths that exist in the folder and not in the root. */
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
    return false; // also a link whose Python is gone, and a folder that may not be looked into
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false; // what cannot be looked at cannot be started either
  }
}
