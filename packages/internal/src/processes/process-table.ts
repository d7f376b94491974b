import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Other systems than Linux have no `/proc`: all functions here find nothing there. */
export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the boot. */
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

/** False for a zombie: a container without an init never removes its zombies. */
export function isRunning({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}

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

export function processTableId(): string | undefined {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  if (boot === '') return undefined;
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** On Windows `/proc` is a folder of the current drive, which any user may create. */
const hasTable = process.platform !== 'win32';

/** Node sorts names as text: 1000 before 999. */
function processIds(): number[] {
  if (!hasTable) return [];
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
  if (!hasTable) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const queriedEntries = new Set<string>();
let scanning: Promise<ReadonlyMap<string, readonly number[]>> | undefined;

/**
 * Processes with `entry` (`NAME=value`) in their environment that left the group of a stopped server. Linux only.
 * Concurrent queries share a scan.
 */
export async function findEscaped(entry: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  queriedEntries.add(entry);
  scanning ??= new Promise((resolve) => {
    setImmediate(() => {
      scanning = undefined;
      const entries = new Set(queriedEntries);
      queriedEntries.clear();
      resolve(processesByEntry(entries));
    });
  });
  return (await scanning).get(entry) ?? [];
}

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

const gatherMs = 10;

type ListGroups = () => ReadonlySet<number>;

/** Shares a scan of the process table: the table is long, and a manager stops its servers together. */
export class LiveGroups {
  readonly #list: ListGroups;
  #listing: Promise<ReadonlySet<number>> | undefined;

  constructor(list: ListGroups) {
    this.#list = list;
  }

  /** The scan starts after this call. */
  async has(group: number): Promise<boolean> {
    this.#listing ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#listing = undefined;
        resolve(this.#list());
      }, gatherMs);
    });
    return (await this.#listing).has(group);
  }
}

export const liveGroups = new LiveGroups(() => new Set(runningProcesses().map(({ group }) => group)));
