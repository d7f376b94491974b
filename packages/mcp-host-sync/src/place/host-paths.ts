import { findHost } from '../adapters/all-hosts.js';
import type { HostAdapter, PathOverride } from '../adapters/host-adapter.js';
import { HostFileError } from '../host-error.js';
import { checkPlace, type HostPlace, pathsOf, variableOf } from './host-place.js';

/** Path of a host's config file. */
export interface HostPath {
  readonly path: string;
  /** `pattern`: one segment of `path` contains `*`, which matches any text. */
  readonly kind: 'file' | 'pattern';
  /** Directory that must contain the file with links resolved. */
  readonly inside: string;
  readonly creates: boolean;
}

/**
 * Possible paths of a host's file, in order of preference. Reads no files.
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
  const moved = (adapter.overrides ?? []).find((override) => isSet(override, place));
  if (moved !== undefined) return [movedPath(moved, place)];

  const created = templates.find((template) =>
    adapter.createAt === undefined ? !template.includes('*') : template.endsWith(`/${adapter.createAt}`),
  );
  return templates.map((template) => ({
    ...joined(template, place),
    kind: template.includes('*') ? 'pattern' : 'file',
    creates: template === created,
  }));
}

function isSet({ variable, platform }: PathOverride, place: HostPlace): boolean {
  return (platform ?? place.platform) === place.platform && variableOf(place, variable) !== undefined;
}

function movedPath({ variable, path }: PathOverride, place: HostPlace): HostPath {
  const { isAbsolute, normalize, join, dirname } = pathsOf(place.platform);
  const value = variableOf(place, variable) ?? '';
  if (!isAbsolute(value)) {
    const message = `${variable} must be an absolute path because it moves the host's file, got ${JSON.stringify(value)}`;
    throw new HostFileError('invalid-location', message);
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
    case '{appData}':
      return absolute('APPDATA') ?? join(place.home, 'AppData', 'Roaming');
    case '{localAppData}':
      return absolute('LOCALAPPDATA') ?? join(place.home, 'AppData', 'Local');
    default:
      return place.home;
  }
}
