import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isControlError } from '../control/control-error.js';
import { type DaemonPlace, isPlaceThere, locateDaemon } from '../daemon/locate-daemon.js';
import { signInsFile } from '../signing-in/sign-in-store.js';
import { error, type Finding, ok, type Patient } from './finding.js';

/** Config files are checked when they are read. */
export async function checkPermissions({ io, config }: Patient): Promise<readonly Finding[]> {
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
