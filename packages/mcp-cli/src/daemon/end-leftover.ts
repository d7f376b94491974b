import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonLog } from './daemon-log.js';
import type { DaemonState } from './state-file.js';
import { isAlive, sendSignal } from './system-process.js';

/** Time for the worker of a killed parent to stop its servers, in milliseconds. */
const leftoverMs = 10_000;
const pollMs = 25;

/**
 * Waits for the worker of an earlier daemon, which ends after its parent, and kills it after a timeout: two workers must
 * not run the same servers.
 */
export async function endLeftover(state: DaemonState | undefined, log: DaemonLog): Promise<void> {
  const worker = state && 'worker' in state.phase ? state.phase.worker : undefined;
  if (!worker) return;
  const deadline = performance.now() + leftoverMs;
  while (isAlive(worker) && performance.now() < deadline) await pause(pollMs);
  if (sendSignal(worker, 'SIGKILL')) log.write(`killed the worker ${worker.pid} of an earlier daemon`);
}
