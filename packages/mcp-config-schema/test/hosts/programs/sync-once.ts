// Syncs servers into hosts, as another process would. Told by a JSON text in its only argument.
import { kill, pid } from 'node:process';
import { currentPlace, type HostServer, isHostFileError, syncHosts } from '../../../src/hosts.js';

export interface SyncOrder {
  readonly home: string;
  readonly stateDirectory: string;
  readonly hosts: readonly string[];
  readonly servers: readonly HostServer[];
  readonly owner?: string;
  /** The process dies on the spot before this step, counted from 1. */
  readonly dieAt?: number;
}

const order: SyncOrder = JSON.parse(process.argv[2] ?? '{}');
const { home, stateDirectory, hosts, servers, owner, dieAt } = order;
let steps = 0;
const onStep = () => {
  steps += 1;
  if (steps === dieAt) kill(pid, 'SIGKILL');
};

try {
  await syncHosts(servers, { hosts, stateDirectory, owner, onStep, place: { ...currentPlace(), env: {}, home } });
  process.stdout.write(JSON.stringify({ steps }));
} catch (error) {
  const code = isHostFileError(error) ? error.code : String(error);
  process.stdout.write(JSON.stringify({ steps, code, message: error instanceof Error ? error.message : '' }));
}
