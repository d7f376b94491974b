import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that a process has used so far, in µs; `undefined` where the system does not count single threads. */
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

/** Milliseconds of the processor that the ended children have used; `NaN` where the system does not count it. */
export function childrenTime() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** Processor time is counted by the system in steps of 10 ms, so only the mean of many says something. */
export function meanOf(values) {
  return values.reduce((sum, { cpu }) => sum + cpu, 0) / values.length;
}
