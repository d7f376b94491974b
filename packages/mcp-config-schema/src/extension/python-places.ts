import { posix, win32 } from 'node:path';

export interface PythonPlace {
  readonly python: string;
  /** The place counts only if this file exists, too. */
  readonly onlyWith?: string;
}

/**
 * Possible paths of Python, best first: in each folder the environment chosen for uv in a uv project, then `.venv`
 * (also the default of uv), then `venv`.
 *
 * @param folders - Absolute. The extension first, then the project.
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
