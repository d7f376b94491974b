import { allHosts, findHost } from './adapters/all-hosts.js';
import type { HostAdapter, HostPlatform, HostScope } from './adapters/host-adapter.js';
import type { HostDialect } from './edit/document.js';
import { type HostEvidence, hostEvidence } from './evidence/host-evidence.js';
import { findHostFile } from './files/find-host-file.js';
import { hostFilePaths } from './files/host-file-paths.js';
import { isHostFileError } from './host-error.js';
import { currentPlace, type HostPlace } from './place/host-place.js';

/** Capabilities of a host's file. */
export interface HostInfo {
  readonly id: string;
  readonly family: string;
  readonly name: string;
  readonly scope: HostScope;
  readonly platforms: readonly HostPlatform[];
  readonly dialect: HostDialect;
  readonly transports: readonly ('stdio' | 'http' | 'sse')[];
  /** True if the host replaces variables in its file. */
  readonly replacesVariables: boolean;
  /** Id of the host that replaces this one. */
  readonly replacedBy?: string | undefined;
  /** Where each fact is known from: a run of the program, its source or its documentation. */
  readonly evidence: readonly HostEvidence[];
}

/**
 * Supported hosts, by id.
 *
 * @param hosts - Ids, families or short names; those without a file on this platform, too. Default: all.
 * @param scope - File of a family or short name. Default `user`.
 * @throws {HostFileError} `unknown-host`
 */
export function listHosts(hosts?: readonly string[], scope: HostScope = 'user'): readonly HostInfo[] {
  const wanted = hosts && new Set(hosts.map((host) => findHost(host, scope)));
  return [...allHosts.values()].filter((adapter) => wanted?.has(adapter) !== false).map(hostInfo);
}

/** An existing file of a host. */
export interface DetectedHost {
  readonly host: string;
  readonly name: string;
  readonly scope: HostScope;
  readonly file: string;
}

/**
 * Hosts whose file exists. A host that a variable moves to a relative path has none.
 *
 * @param place - Default: this machine and user, without a project.
 */
export async function detectHosts(place: HostPlace = currentPlace()): Promise<readonly DetectedHost[]> {
  const found = await Promise.all(
    Array.from(allHosts.values(), async (adapter) => ({
      adapter,
      files: await filesOf(adapter, place),
    })),
  );
  return found.flatMap(({ adapter: { id, name, scope }, files }) =>
    files?.exists === true ? [{ host: id, name, scope, file: files.chosen.path }] : [],
  );
}

async function filesOf(adapter: HostAdapter, place: HostPlace): ReturnType<typeof findHostFile> {
  try {
    return await findHostFile(await hostFilePaths(adapter, place));
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return undefined; // the fault of one host must not hide the others
  }
}

function hostInfo(adapter: HostAdapter): HostInfo {
  const { id, family, name, scope, paths, dialect, entry, replacedBy } = adapter;
  return {
    ...{ id, family, name, scope, dialect, replacedBy },
    platforms: (['darwin', 'linux', 'win32'] as const).filter((platform) => (paths[platform] ?? []).length > 0),
    transports: (['stdio', 'http', 'sse'] as const).filter((transport) => entry[transport] !== undefined),
    replacesVariables:
      (entry.variables.syntax !== undefined && entry.variables.unverified !== true) || entry.byName?.env !== undefined,
    evidence: hostEvidence(adapter),
  };
}
