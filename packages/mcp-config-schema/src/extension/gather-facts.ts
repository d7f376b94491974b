import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix, resolve, win32 } from 'node:path';

interface PythonSearch {
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

interface PythonPlace {
  readonly python: string;
  /** The place counts only if this file exists, too. */
  readonly onlyWith?: string;
}

/**
 * Possible paths of Python, best first: in each folder the environment chosen for uv in a uv project, then `.venv`,
 * then `venv`.
 *
 * @param folders - Absolute. The extension first, then the project.
 */
export function pythonPlaces(folders: readonly string[], { platform, env }: PythonSearch): readonly PythonPlace[] {
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  const programs =
    platform === 'win32'
      ? [['Scripts', 'python.exe']]
      : [
          ['bin', 'python'],
          ['bin', 'python3'],
        ];
  const pythonsOf = (environment: string) => programs.map((program) => join(environment, ...program));

  const { UV_PROJECT_ENVIRONMENT: chosen } = env;
  return folders.flatMap((folder): PythonPlace[] => {
    const ofUv = chosen === undefined || chosen === '' ? [] : pythonsOf(resolve(folder, chosen));
    const usual = ['.venv', 'venv'].flatMap((name) => pythonsOf(join(folder, name)));
    return [
      ...ofUv.map((python) => ({ python, onlyWith: join(folder, 'uv.lock') })),
      ...usual.map((python) => ({ python })),
    ];
  });
}
