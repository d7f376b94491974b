import { allHosts } from './adapters/all-hosts.js';
import type { HostAdapter, HostPlatform, HostScope } from './adapters/host-adapter.js';
import type { HostDialect } from './edit/document-shape.js';
import { findHostFile } from './files/find-host-file.js';
import { adapterPaths } from './place/host-paths.js';
import { currentPlace, type HostPlace } from './place/host-place.js';

/** What a host's file can hold. */
export interface HostInfo {
  readonly id: string;
  readonly family: string;
  readonly name: string;
  readonly scope: HostScope;
  readonly platforms: readonly HostPlatform[];
  readonly dialect: HostDialect;
  readonly transports: readonly ('stdio' | 'http' | 'sse')[];
  /** Whether the host is known to replace variables, so that secrets can stay out of its file. */
  readonly replacesVariables: boolean;
  /** The host that took its place. */
  readonly replacedBy?: string | undefined;
}

/** Every host that keeps its servers in a file, by id. */
export function listHosts(): readonly HostInfo[] {
  return Array.from(allHosts.values(), hostInfo);
}

/** One file of one host that is there. */
export interface DetectedHost {
  readonly host: string;
  readonly name: string;
  readonly scope: HostScope;
  readonly file: string;
}

/**
 * The hosts whose file exists.
 *
 * @param place - Default: this machine and this user, without a project.
 * @throws {HostFileError} `invalid-location` for a variable that moves a host's file and holds no absolute path
 */
export async function detectHosts(place: HostPlace = currentPlace()): Promise<readonly DetectedHost[]> {
  const found = await Promise.all(
    Array.from(allHosts.values(), async (adapter) => ({
      adapter,
      files: await findHostFile(adapterPaths(adapter, place)),
    })),
  );
  return found.flatMap(({ adapter: { id, name, scope }, files }) =>
    files?.exists === true ? [{ host: id, name, scope, file: files.chosen.path }] : [],
  );
}

function hostInfo({ id, family, name, scope, paths, dialect, entry, replacedBy }: HostAdapter): HostInfo {
  return {
    ...{ id, family, name, scope, dialect, replacedBy },
    platforms: (['darwin', 'linux', 'win32'] as const).filter((platform) => (paths[platform] ?? []).length > 0),
    transports: (['stdio', 'http', 'sse'] as const).filter((transport) => entry[transport] !== undefined),
    replacesVariables:
      (entry.variables.syntax !== undefined && entry.variables.unverified !== true) || entry.byName !== undefined,
  };
}
