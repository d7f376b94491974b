import { findHost } from '../adapters/all-hosts.js';
import type { HostAdapter, PathOverride } from '../adapters/host-adapter.js';
import { HostFileError } from '../host-error.js';
import { checkPlace, type HostPlace, pathsOf, variableOf } from './host-place.js';

/** Path of a host's config file. */
export interface HostPath {
  readonly path: string;
  /**
   * `pattern`: one segment of `path` contains `*`, which matches any text. `newest`: it matches a version, and only the
   * newest one counts.
   */
  readonly kind: 'file' | 'pattern' | 'newest';
  /** Directory that must contain the file with links resolved. */
  readonly inside: string;
  readonly creates: boolean;
  /** A setting of the host may name another file. */
  readonly mayMove?: true;
}

/**
 * Possible paths of a host's file, in order of preference. Reads no files, so a setting of the host that moves its file
 * does not count.
 *
 * @param host - An id such as `cursor-user`. A family or short name selects its user scope.
 * @returns Empty if the host has no file on this platform or without a project.
 * @throws {HostFileError} `unknown-host`, or `invalid-location` for a variable with a relative path
 * @throws {TypeError} `place.home` or `place.project` is not absolute
 */
export function hostPaths(host: string, place: HostPlace): readonly HostPath[] {
  return adapterPaths(findHost(host), place);
}

export function adapterPaths(adapter: HostAdapter, place: HostPlace): readonly HostPath[] {
  checkPlace(place);
  if (adapter.scope !== 'user' && place.project === undefined) return [];

  const templates = adapter.paths[place.platform] ?? [];
  if (templates.length === 0) return [];
  const moved = overrideOf(adapter, place);
  if (moved !== undefined) return [movedPath(moved, place)];

  const created = templates.find((template) =>
    adapter.createAt === undefined ? kindOf(template) === 'file' : template.endsWith(`/${adapter.createAt}`),
  );
  return templates.map((template) => ({
    ...joined(template.replace('{newest}', '*'), place),
    kind: kindOf(template),
    creates: template === created,
    ...(adapter.movedBy !== undefined && { mayMove: true }),
  }));
}

function kindOf(template: string): HostPath['kind'] {
  if (template.includes('{newest}')) return 'newest';
  return template.includes('*') ? 'pattern' : 'file';
}

/** The file with the setting that moves a host's file; `undefined` if nothing but a variable can move it. */
export function movingFile({ movedBy }: HostAdapter, place: HostPlace): string | undefined {
  const template = movedBy?.file[place.platform];
  return template === undefined ? undefined : joined(template, place).path;
}

/** The path below a directory of the host; `undefined` if that is not absolute. */
export function pathBelow(directory: unknown, path: string, place: HostPlace): HostPath | undefined {
  const { isAbsolute, join, normalize } = pathsOf(place.platform);
  if (typeof directory !== 'string' || !isAbsolute(directory)) return undefined;
  const rest = path.slice('{value}'.length);
  return { path: join(directory, ...rest.split('/')), kind: 'file', inside: normalize(directory), creates: true };
}

/** True if an environment variable names the directory or file. */
export function isMovedByVariable(adapter: HostAdapter, place: HostPlace): boolean {
  return overrideOf(adapter, place) !== undefined;
}

function overrideOf({ overrides = [] }: HostAdapter, place: HostPlace): PathOverride | undefined {
  return overrides.find((override) => isSet(override, place));
}

function isSet({ variable, platform }: PathOverride, place: HostPlace): boolean {
  return (platform ?? place.platform) === place.platform && variableOf(place, variable) !== undefined;
}

function movedPath({ variable, path }: PathOverride, place: HostPlace): HostPath {
  const { isAbsolute, normalize, join, dirname } = pathsOf(place.platform);
  const value = variableOf(place, variable) ?? '';
  if (!isAbsolute(value)) {
    const message = `${variable} must be an absolute path because it moves the host's file, got ${JSON.stringify(value)}`;
    throw new HostFileError('invalid-location', message, { missing: 'absolute-path' });
  }
  const rest = path.slice('{value}'.length);
  const inside = rest === '' ? dirname(normalize(value)) : normalize(value);
  return { path: join(value, ...rest.split('/')), kind: 'file', inside, creates: true };
}

function joined(template: string, place: HostPlace): { path: string; inside: string } {
  const { join, normalize } = pathsOf(place.platform);
  const [base = '', ...segments] = template.split('/');
  const inside = normalize(baseDirectory(base, place));
  return { path: join(inside, ...segments), inside };
}

function baseDirectory(base: string, place: HostPlace): string {
  const { isAbsolute, join } = pathsOf(place.platform);
  const absolute = (name: string) => {
    const value = variableOf(place, name);
    return value !== undefined && isAbsolute(value) ? value : undefined;
  };
  switch (base) {
    case '{project}':
      return place.project ?? '';
    case '{config}': // the XDG specification ignores relative paths
      return absolute('XDG_CONFIG_HOME') ?? join(place.home, '.config');
    case '{data}':
      return absolute('XDG_DATA_HOME') ?? join(place.home, '.local', 'share');
    case '{appData}':
      return absolute('APPDATA') ?? join(place.home, 'AppData', 'Roaming');
    case '{localAppData}':
      return absolute('LOCALAPPDATA') ?? join(place.home, 'AppData', 'Local');
    default:
      return place.home;
  }
}
