import { readdirSync, readFileSync } from 'node:fs';

/**
 * Resident memory of whole process groups in bytes, by the process that leads them: a server behind `npx` is more than
 * the process that was started. Only Linux tells; elsewhere the map is empty.
 */
export function memoryByGroup(leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const memory = new Map<number, number>();
  if (leaders.size === 0) return memory;
  for (const pid of processIds()) {
    const stat = read(`/proc/${pid}/stat`);
    // `pid (name) state ppid pgrp …`; the name may hold spaces and parentheses itself.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
    if (leaders.has(group)) memory.set(group, (memory.get(group) ?? 0) + residentBytes(pid));
  }
  return memory;
}

function residentBytes(pid: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // not Linux
  }
}

/** Empty for what has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
