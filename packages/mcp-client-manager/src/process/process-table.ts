import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One process from `/proc`. Other systems than Linux have no table, and all functions here find nothing. */
export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the boot. Boot, pid and start time together identify a process. */
  readonly startTime: number;
}

export function runningProcesses(): ProcessEntry[] {
  return processIds()
    .map(processEntry)
    .filter((entry) => entry !== undefined)
    .filter(isRunning);
}

export function processEntry(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  // `pid (name) state ppid pgrp session …`; the name may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group, session] = fields;
  return { pid, state, group: Number(group), session: Number(session), startTime: Number(fields[19]) };
}

/** A zombie does not run; a container without an init never removes it. */
export function isRunning({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}

/** Pids by `NAME=value` entry, of processes with one of the entries in their environment. */
function processesByEntry(entries: ReadonlySet<string>): Map<string, number[]> {
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

/** Identifies the boot and the pid namespace; `undefined` where unknown. */
export function processTableId(): string | undefined {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  if (boot === '') return undefined;
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** Ascending by number; Node sorts names as text, 1000 before 999. */
function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((left, right) => left - right);
  } catch {
    return [];
  }
}

/** Empty for ended processes and without permission. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const wanted = new Set<string>();
let scanning: Promise<ReadonlyMap<string, readonly number[]>> | undefined;

/**
 * Processes with `entry` (`NAME=value`) in their environment; after the end of a server's group, those that left the
 * group. Linux only; elsewhere empty. Concurrent queries share one scan of the process table, since a manager stops its
 * servers together.
 */
export async function findEscaped(entry: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  wanted.add(entry);
  scanning ??= new Promise((resolve) => {
    setImmediate(() => {
      scanning = undefined;
      const entries = new Set(wanted);
      wanted.clear();
      resolve(processesByEntry(entries));
    });
  });
  return (await scanning).get(entry) ?? [];
}
