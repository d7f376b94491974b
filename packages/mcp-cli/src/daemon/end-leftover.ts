import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonLog } from './daemon-log.js';
import type { DaemonState } from './state-file.js';
import { isAlive, sendSignal } from './system-process.js';

/** How long the worker of a parent that was killed may take to stop its servers, in milliseconds. */
const leftoverMs = 10_000;
const pollMs = 25;

/**
 * Waits for the worker that an earlier daemon has left behind, and kills it if it takes too long: no second one may run
 * the same servers beside it. It ends by itself when it notices that its parent is gone.
 */
export async function endLeftover(state: DaemonState | undefined, log: DaemonLog): Promise<void> {
  const worker = state && 'worker' in state.phase ? state.phase.worker : undefined;
  if (!worker) return;
  const deadline = performance.now() + leftoverMs;
  while (isAlive(worker) && performance.now() < deadline) await pause(pollMs);
  if (sendSignal(worker, 'SIGKILL')) log.write(`killed the worker ${worker.pid} of an earlier daemon`);
}
