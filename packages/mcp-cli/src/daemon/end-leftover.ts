import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonLog } from './daemon-log.js';
import type { DaemonState } from './state-file.js';
import { isAlive, sendSignal } from './system-process.js';

/** How long the worker of a killed parent may take to stop its servers, in milliseconds. */
const leftoverMs = 10_000;
const pollMs = 25;

/**
 * Waits for the worker of an earlier daemon and kills it after a timeout, because two workers must not run the same
 * servers. The worker ends when it detects the end of its parent.
 */
export async function endLeftover(state: DaemonState | undefined, log: DaemonLog): Promise<void> {
  const worker = state && 'worker' in state.phase ? state.phase.worker : undefined;
  if (!worker) return;
  const deadline = performance.now() + leftoverMs;
  while (isAlive(worker) && performance.now() < deadline) await pause(pollMs);
  if (sendSignal(worker, 'SIGKILL')) log.write(`killed the worker ${worker.pid} of an earlier daemon`);
}
