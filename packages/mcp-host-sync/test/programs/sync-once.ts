// Syncs servers into hosts from another process. Its only argument is a `SyncOrder` as JSON.
import process, { kill, pid } from 'node:process';
import { currentPlace, type HostServer, isHostFileError, syncHosts } from '../../src/index.js';

export interface SyncOrder {
  readonly home: string;
  readonly stateDirectory: string;
  readonly hosts: readonly string[];
  readonly servers: readonly HostServer[];
  readonly owner?: string;
  /** The process exits before this step, counted from 1. */
  readonly dieAt?: number;
  /**
   * User that root switches to before the sync. All code is loaded by then, because this user may not be able to read
   * it.
   */
  readonly as?: { readonly uid: number; readonly gid: number };
}

const order: SyncOrder = JSON.parse(process.argv[2] ?? '{}');
const { home, stateDirectory, hosts, servers, owner, dieAt, as } = order;
let steps = 0;
const onStep = () => {
  steps += 1;
  if (steps === dieAt) kill(pid, 'SIGKILL');
};

if (as !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(as.gid);
  process.setuid?.(as.uid);
}
try {
  await syncHosts(servers, { hosts, stateDirectory, owner, onStep, place: { ...currentPlace(), env: {}, home } });
  process.stdout.write(JSON.stringify({ steps }));
} catch (error) {
  const code = isHostFileError(error) ? error.code : String(error);
  process.stdout.write(JSON.stringify({ steps, code, message: error instanceof Error ? error.message : '' }));
}
