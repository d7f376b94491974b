import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { findOrphanedProcesses } from '@x/mcp-client-manager/diagnose';
import { isControlError } from '../control/control-error.js';
import { staleLocks } from '../daemon/instance-lock.js';
import { type DaemonPlace, isPlaceThere, locateDaemon } from '../daemon/locate-daemon.js';
import { signInsFile } from '../signing-in/sign-ins.js';
import { type CheckContext, error, type Finding, ok, warning } from './finding.js';

/** Lowest supported minor version of each line; all lines from `fromMajor` are supported. */
const lowestMinor: Readonly<Record<number, number>> = { 20: 19, 22: 13 };
const fromMajor = 24;

/** @param version - Such as `20.19.0`. */
export function checkRuntime(version: string): Finding {
  if (isSupported(version)) return ok('runtime', `Node ${version}`);
  return error('runtime', `Node ${version} is not supported`, 'install Node 20.19, 22.13, or 24 and later');
}

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= fromMajor || minor >= (lowestMinor[major] ?? Number.POSITIVE_INFINITY);
}

export function checkPath(path: string | undefined): Finding {
  const entries = (path ?? '').split(delimiter).filter((entry) => entry !== '');
  if (entries.length === 0) {
    return error(
      'path',
      'PATH is empty, so no command can be found',
      'set PATH, for example in the profile of your shell',
    );
  }
  const relative = entries.filter((entry) => !isAbsolute(entry));
  if (relative.length === 0) return ok('path', `PATH has ${entries.length} directories`);
  return warning(
    'path',
    `PATH has ${relative.join(', ')}, so commands depend on the working directory`,
    'remove relative directories from PATH',
  );
}

/** Config files are checked when they are read. */
export async function checkPermissions({ io, config }: CheckContext): Promise<readonly Finding[]> {
  const place = locateDaemon({ config }, io);
  const faults = await daemonDirectory(place);
  const { userId } = place;
  const { stateDirectory } = io;
  if (stateDirectory !== undefined && userId !== undefined) {
    faults.push(...(await faultsOf(stateDirectory, { userId, forbidden: 0o022, mode: '700' })));
    for (const file of await secretFiles(stateDirectory)) {
      faults.push(...(await faultsOf(file, { userId, forbidden: 0o077, mode: '600' })));
    }
  }
  return faults.length > 0 ? faults : [ok('permissions', 'state, tokens and sign-ins are private')];
}

async function secretFiles(stateDirectory: string): Promise<readonly string[]> {
  const tokens = join(stateDirectory, 'gateway-tokens');
  const names = await readdir(tokens).catch(() => []);
  return [signInsFile(stateDirectory), ...names.map((name) => join(tokens, name))];
}

interface Demand {
  readonly userId: number;
  /** Forbidden mode bits. */
  readonly forbidden: number;
  readonly mode: string;
}

async function faultsOf(path: string, { userId, forbidden, mode }: Demand): Promise<readonly Finding[]> {
  let found: Stats;
  try {
    found = await lstat(path);
  } catch {
    return []; // nothing to protect
  }
  if (found.uid !== userId) {
    return [error('permissions', `${path} belongs to another user (${found.uid})`, `sudo chown ${userId} '${path}'`)];
  }
  if ((found.mode & forbidden) === 0 || found.isSymbolicLink()) return [];
  const now = (found.mode & 0o777).toString(8).padStart(3, '0');
  const what = forbidden === 0o022 ? 'changed' : 'read or changed';
  return [error('permissions', `${path} can be ${what} by other users (mode ${now})`, `chmod ${mode} '${path}'`)];
}

async function daemonDirectory(place: DaemonPlace): Promise<Finding[]> {
  try {
    await isPlaceThere(place);
    return [];
  } catch (cause) {
    if (!isControlError(cause)) throw cause;
    return [error('permissions', cause.message, cause.hint ?? 'make the directory private with chmod 700')];
  }
}

/** Age from which a lock belongs to a dead process, in milliseconds. */
const staleMs = 10_000;

/** Locks of dead processes. They block nothing, because the next process takes them over. */
export async function checkLocks({ io, config }: CheckContext): Promise<readonly Finding[]> {
  const stale = [...(await daemonLocks({ config }, io)), ...(await fileLocks(io.stateDirectory))];
  if (stale.length === 0) return [ok('lock', 'no lock of a dead process')];
  return stale.map((path) => warning('lock', `${path} was left by a dead process`, removalOf(path)));
}

/** The line of a terminal that removes a file or directory: of PowerShell on Windows, else of `sh`. */
export function removalOf(path: string, platform: string = systemPlatform()): string {
  if (platform === 'win32') return `Remove-Item -Recurse -Force -LiteralPath '${path.replaceAll("'", "''")}'`;
  return `rm -r '${path.replaceAll("'", "'\\''")}'`;
}

async function daemonLocks(options: Pick<CheckContext, 'config'>, io: CheckContext['io']): Promise<readonly string[]> {
  const [root] = locateDaemon(options, io).paths.privateDirectories;
  if (root === undefined) return [];
  const directories = (await namesIn(root)).map((name) => join(root, name));
  return (await Promise.all(directories.map((directory) => staleLocks(directory)))).flat();
}

async function fileLocks(stateDirectory: string | undefined): Promise<readonly string[]> {
  if (stateDirectory === undefined) return [];
  const locks = (await namesIn(stateDirectory)).filter((name) => name.endsWith('.lock'));
  const paths = locks.map((name) => join(stateDirectory, name));
  const ages = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0, // released meanwhile
      ),
    ),
  );
  return paths.filter((_, index) => (ages[index] ?? 0) >= staleMs);
}

/** Server processes whose owner was killed. */
export async function checkOrphans({ io }: CheckContext): Promise<readonly Finding[]> {
  const orphans = io.stateDirectory === undefined ? [] : await findOrphanedProcesses(io.stateDirectory);
  if (orphans.length === 0) return [ok('orphan', 'no server of an earlier run is left')];
  return orphans.map(({ pid, server, hostPid }) =>
    error(
      'orphan',
      `process ${pid} of server "${server}" outlived process ${hostPid}, which had started it`,
      `kill -9 ${pid}; the next command that starts a server kills it, too`,
    ),
  );
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}
