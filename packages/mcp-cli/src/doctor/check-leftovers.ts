import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrphanedProcesses } from '@x/mcp-client-manager';
import { staleLocks } from '../daemon/instance-lock.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

/** Age from which a lock belongs to a dead process, in milliseconds. */
const staleMs = 10_000;

/** Locks of dead processes. They block nothing, because the next process takes them over. */
export async function checkLocks({ io, config }: Patient): Promise<readonly Finding[]> {
  const stale = [...(await daemonLocks({ config }, io)), ...(await fileLocks(io.stateDirectory))];
  if (stale.length === 0) return [ok('lock', 'no lock of a dead process')];
  return stale.map((path) => warning('lock', `${path} was left by a dead process`, `rm -r '${path}'`));
}

/** Locks of the daemons of all configs. */
async function daemonLocks(options: Pick<Patient, 'config'>, io: Patient['io']): Promise<readonly string[]> {
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
export async function checkOrphans({ io }: Patient): Promise<readonly Finding[]> {
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
