import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { env, platform } from 'node:process';
import { optionTable } from '@x/internal/options';
import type { HostPlatform } from '../adapters/host-adapter.js';

/** Machine and project that paths refer to. */
export interface HostPlace {
  readonly platform: HostPlatform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
  /** Absolute. If missing, the scopes `project` and `local` have no files. */
  readonly project?: string | undefined;
}

const placeOptions = optionTable<Pick<HostPlace, 'project'>>()({ project: { kind: 'text' } });

/** This machine, its user and a project. `env` is a copy of the environment that prints as `***`. */
export function currentPlace(options?: { readonly project?: string | undefined }): HostPlace {
  const { project } = placeOptions.read(options);
  return { platform: currentPlatform(), env: unprinted(env), home: homedir(), project };
}

/** Hides secrets in the environment from printing and serialization. */
function unprinted(variables: HostPlace['env']): HostPlace['env'] {
  const value = () => '***';
  return Object.defineProperties(
    { ...variables },
    { toJSON: { value }, [Symbol.for('nodejs.util.inspect.custom')]: { value } },
  );
}

/** Other Unix systems count as Linux, as in the hosts. */
export function currentPlatform(): HostPlatform {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}

/** @throws {TypeError} A directory is not absolute. */
export function checkPlace(place: HostPlace): void {
  const { platform, env: variables, home, project } = Object(place) as HostPlace;
  if (typeof home !== 'string' || typeof Object(variables) !== 'object') {
    throw new TypeError('place must be the result of currentPlace(), or { platform, env, home, project }');
  }
  const { isAbsolute } = pathsOf(platform);
  if (!isAbsolute(home)) throw new TypeError(`place.home must be an absolute path, got ${JSON.stringify(home)}`);
  if (project !== undefined && !isAbsolute(project)) {
    throw new TypeError(`place.project must be an absolute path, got ${JSON.stringify(project)}`);
  }
}

export function pathsOf(platform: HostPlatform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Ignores the case of names on Windows. An empty value counts as unset. */
export function variableOf({ env: variables, platform }: HostPlace, name: string): string | undefined {
  if (platform !== 'win32') return (Object.hasOwn(variables, name) ? variables[name] : undefined) || undefined;
  const spelled = Object.keys(variables).find((key) => key.toUpperCase() === name.toUpperCase());
  return (spelled === undefined ? undefined : variables[spelled]) || undefined;
}

/** What the keys of a host's file depend on. */
export interface KeyPlace extends Pick<HostPlace, 'platform' | 'project'> {
  /** Root of the git repository of `project`. Default: `project`. */
  readonly repository?: string | undefined;
}

/** Replaces `{repository}` by the root as hosts spell it in keys: on Windows with forward slashes. */
export function keysOf(
  keyPath: readonly string[],
  { platform, project, repository = project }: KeyPlace,
): readonly string[] {
  const spelled = platform === 'win32' ? repository?.replaceAll('\\', '/') : repository;
  return keyPath.map((key) => (key === '{repository}' ? (spelled ?? key) : key));
}

/**
 * True if `path` is the directory or below it, by segments: `/srv/app-evil` is not inside `/srv/app`. Both paths must
 * be resolved.
 */
export function isInside(directory: string, path: string, platform: HostPlatform): boolean {
  const { resolve, sep } = pathsOf(platform);
  // Windows ignores case. On macOS, resolved paths have one spelling.
  const spelled = (text: string) => (platform === 'win32' ? text.toLowerCase() : text);
  const segments = (text: string) => spelled(resolve(text)).split(sep).filter(Boolean);
  const outer = segments(directory);
  const inner = segments(path);
  return outer.every((segment, index) => segment === inner[index]);
}
