import { setTimeout as pause } from 'node:timers/promises';

/** Rejects with the processes that still run after 30 s. */
export async function untilGone(pids) {
  const deadline = performance.now() + 30_000;
  while (pids.some(isRunning)) {
    if (performance.now() > deadline) throw new Error(`Still running: ${pids.filter(isRunning).join(', ')}`);
    await pause(50);
  }
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
