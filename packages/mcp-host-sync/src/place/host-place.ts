import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { env, platform } from 'node:process';
import type { HostPlatform } from '../adapters/host-adapter.js';

/** The machine and the project that paths are for. Injected, so that the paths of any machine can be asked for. */
export interface HostPlace {
  readonly platform: HostPlatform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
  /** Absolute. Without it there are no files of the scopes `project` and `local`. */
  readonly project?: string | undefined;
}

/** This machine, its user, and the project if there is one. The environment is as it is now, and is not printed. */
export function currentPlace({ project }: { readonly project?: string | undefined } = {}): HostPlace {
  return { platform: currentPlatform(), env: unprinted(env), home: homedir(), project };
}

/** A copy that stays out of sight when what holds it is printed or serialized: an environment is full of secrets. */
function unprinted(variables: HostPlace['env']): HostPlace['env'] {
  const value = () => '***';
  return Object.defineProperties(
    { ...variables },
    { toJSON: { value }, [Symbol.for('nodejs.util.inspect.custom')]: { value } },
  );
}

/** Hosts treat other Unix systems as they treat Linux. */
export function currentPlatform(): HostPlatform {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}

/** @throws {TypeError} when a directory is not absolute */
export function checkPlace({ platform, home, project }: HostPlace): void {
  const { isAbsolute } = pathsOf(platform);
  if (!isAbsolute(home)) throw new TypeError(`place.home must be an absolute path, got ${JSON.stringify(home)}`);
  if (project !== undefined && !isAbsolute(project)) {
    throw new TypeError(`place.project must be an absolute path, got ${JSON.stringify(project)}`);
  }
}

export function pathsOf(platform: HostPlatform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Names of variables do not differ by case on Windows. An empty value counts as none. */
export function variableOf({ env: variables, platform }: HostPlace, name: string): string | undefined {
  if (platform !== 'win32') return (Object.hasOwn(variables, name) ? variables[name] : undefined) || undefined;
  const spelled = Object.keys(variables).find((key) => key.toUpperCase() === name.toUpperCase());
  return (spelled === undefined ? undefined : variables[spelled]) || undefined;
}
