import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One process as Linux describes it in `/proc`. Elsewhere there is no table to read, and everything here finds nothing. */
export interface ProcessEntry {
  readonly pid: number;
  /** `Z` and `X` are dead already and only not waited for yet. */
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started. With the boot and the pid it tells a process from all others, ever. */
  readonly startTime: number;
}

/** Every process that still runs, in the order of the process ids. */
export function runningProcesses(): ProcessEntry[] {
  return processIds()
    .map(processEntry)
    .filter((entry) => entry !== undefined)
    .filter(isRunning);
}

export function processEntry(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  // `pid (name) state ppid pgrp session …`; the name may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group, session] = fields;
  return { pid, state, group: Number(group), session: Number(session), startTime: Number(fields[19]) };
}

/** A zombie, which a container without an init never gets rid of, does not run. */
export function isRunning({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}

/** The processes whose environment holds one of the `NAME=value` entries, by that entry. */
export function processesByEntry(entries: ReadonlySet<string>): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const pid of processIds()) {
    const environment = readText(`/proc/${pid}/environ`);
    if (environment === '') continue;
    for (const entry of environment.split('\0')) {
      if (!entries.has(entry)) continue;
      const process = processEntry(pid);
      if (process && isRunning(process)) found.set(entry, [...(found.get(entry) ?? []), pid]);
    }
  }
  return found;
}

export function hasEnvironmentEntry(pid: number, entry: string): boolean {
  return readText(`/proc/${pid}/environ`).split('\0').includes(entry);
}

/** Which start of the machine this is, and which of its process tables; `undefined` where that cannot be told. */
export function processTableId(): string | undefined {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  if (boot === '') return undefined;
  try {
    // Containers share a boot, but a process id of one means another process in the next.
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** Ascending by number: Node returns the names of a directory in the order of their letters, 1000 before 999. */
function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((left, right) => left - right);
  } catch {
    return []; // not Linux
  }
}

/** Empty for what has ended meanwhile and for what is not ours to read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
