import { posix, win32 } from 'node:path';

/** One place where the Python of a virtual environment may be. */
export interface PythonPlace {
  readonly python: string;
  /** A file that has to be there, too, for the place to count. */
  readonly onlyWith?: string;
}

/**
 * Where the Python for an extension may be, best first: in each folder the environment that uv was told to use, if the
 * folder is a project of uv, then `.venv` (uv's own default as well), then `venv`.
 *
 * @param folders - Absolute. The extension's own first, then the project's.
 */
export function pythonPlaces(
  folders: readonly string[],
  { platform, env }: { readonly platform: string; readonly env: Readonly<Record<string, string | undefined>> },
): readonly PythonPlace[] {
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
