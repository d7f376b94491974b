import { findHost } from '../adapters/all-hosts.js';
import type { HostAdapter, PathOverride } from '../adapters/host-adapter.js';
import { HostFileError } from '../host-error.js';
import { checkPlace, type HostPlace, pathsOf, variableOf } from './host-place.js';

/** One place where a host's file may be. */
export interface HostPath {
  readonly path: string;
  /** `pattern`: a segment of `path` holds `*`, which stands for any text. */
  readonly kind: 'file' | 'pattern';
  /** The directory that the file has to be in, whatever links lead there: the home, the project, … */
  readonly inside: string;
  /** Where the file is created when none exists. */
  readonly creates: boolean;
}

/**
 * Where a host's file may be, most wanted first. Pure: nothing is looked at but the arguments.
 *
 * @param host - An id such as `cursor-user`; a family or short name means its user scope.
 * @returns Empty where the host has no such file: another platform, or a project scope without a project.
 * @throws {HostFileError} `unknown-host`, or `invalid-location` for a variable that holds no absolute path
 * @throws {TypeError} when `place.home` or `place.project` is not absolute
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
    const message = `${variable} moves the file and must be an absolute path, got ${JSON.stringify(value)}`;
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
    case '{config}': // the XDG rules say that a relative path is to be ignored
      return absolute('XDG_CONFIG_HOME') ?? join(place.home, '.config');
    case '{appData}':
      return absolute('APPDATA') ?? join(place.home, 'AppData', 'Roaming');
    case '{localAppData}':
      return absolute('LOCALAPPDATA') ?? join(place.home, 'AppData', 'Local');
    default:
      return place.home;
  }
}
