import { readdir } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { exists } from '../files.js';

/** Where a program that uses npm packages runs. */
export interface PackageUser {
  /** Default: the working directory of this process. */
  readonly cwd?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The first word of `npx` that is no option, if no option before it has a value. */
export function npxPackage(command: string, args: readonly string[]): string | undefined {
  if (!/(?:^|[\\/])npx(?:\.cmd)?$/.test(command)) return undefined;
  const word = args.find((each) => !/^(?:-y|-q|--yes|--quiet)$/.test(each)) ?? '';
  return /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:@[\w.^~+-]+)?$/.test(word) ? word : undefined;
}

/**
 * True if some version of an npm package is in the project, on the system, or in the cache of npx.
 *
 * @param name - With or without a version.
 */
export async function isPackageHere(name: string, user: PackageUser): Promise<boolean> {
  const withoutVersion = name.replace(/(?<=.)@[^/]*$/, '');
  for (const place of await packagePlaces(user))
    if (await exists(join(place, withoutVersion, 'package.json'))) return true;
  return false;
}

async function packagePlaces({ cwd = '.', env }: PackageUser): Promise<readonly string[]> {
  const above: string[] = [];
  for (let current = resolve(cwd); above.at(-1) !== current; current = dirname(current)) above.push(current);
  const programs = (env.PATH ?? env.Path ?? '').split(delimiter).filter((directory) => directory !== '');
  const home = env.HOME ?? env.USERPROFILE ?? '';
  const caches = [env.npm_config_cache, join(home, '.npm'), join(env.LOCALAPPDATA ?? home, 'npm-cache')];
  const cached = await Promise.all(
    caches.map(async (cache = '') => {
      const runs = join(cache, '_npx');
      return (await readdir(runs).catch(() => [])).map((name) => join(runs, name));
    }),
  );
  return [
    ...[...above, ...programs, ...cached.flat()].map((directory) => join(directory, 'node_modules')),
    ...programs.map((directory) => join(directory, '..', 'lib', 'node_modules')),
  ];
}
