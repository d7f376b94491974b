import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that a process has used so far, in µs; `undefined` where the system does not tell of single threads. */
export function processorTimeOf(pid) {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    } catch {
      return 0; // the thread has ended meanwhile
    }
  });
  return nanoseconds.reduce((sum, time) => sum + time, 0) / 1_000;
}
