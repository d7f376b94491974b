import { readFileSync } from 'node:fs';
import { runningProcesses } from './process-table.js';

/** Resident memory in bytes by process group; a server behind `npx` has several processes. Empty except on Linux. */
export function memoryByGroup(leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const memory = new Map<number, number>();
  if (leaders.size === 0) return memory;
  for (const { pid, group } of runningProcesses()) {
    if (leaders.has(group)) memory.set(group, (memory.get(group) ?? 0) + residentBytes(pid));
  }
  return memory;
}

function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
