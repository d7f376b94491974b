import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** One process, told from all others that ever had or will have its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system counts that. Empty where nobody can tell. */
  readonly startTime: string;
  /** Boot of the machine and table of processes that the number belongs to. */
  readonly table: string;
}

/** `undefined`: no such process runs, as far as can be told. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : foreignStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, table: tableId() };
}

export function ownIdentity(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, startTime: '', table: tableId() };
}

/**
 * Whether that very process still runs. A number of another boot is nobody's any more. One of another container on the
 * same boot cannot be looked at, so it counts as running.
 */
export function isAlive({ pid, startTime, table }: ProcessIdentity): boolean {
  const ownTable = tableId();
  if (table !== ownTable) return bootOf(table) === bootOf(ownTable);
  const now = identify(pid);
  return now !== undefined && now.startTime === startTime;
}

/** Milliseconds of a clock that never jumps. `performance.now()` would load a module of Node first, which takes 1 ms. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Sends a signal to that very process. @returns Whether it was there to get it. */
export function sendSignal(identity: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL' | 'SIGHUP'): boolean {
  if (identity.table !== tableId() || !isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false; // it went the moment before, or is another user's
  }
}

/** @param value - Read from a file: nothing is taken for granted. A pid below 2 would signal a group, or everybody. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime, table } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  return (
    Number.isSafeInteger(pid) && (pid as number) >= 2 && typeof startTime === 'string' && typeof table === 'string'
  );
}

/** In clock ticks since the boot. A zombie, which a container without an init never gets rid of, does not run. */
function linuxStartTime(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // `pid (name) state ppid …`; the name may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** `ps` tells the second; Windows tells nothing, so a number is all there is to go by. */
function foreignStartTime(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  if (process.platform === 'win32') return '';
  try {
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state?.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

function tableId(): string {
  const boot = read('/proc/sys/kernel/random/boot_id').trim();
  try {
    // Containers share a boot, but a process id of one means another process in the next.
    return boot === '' ? hostname() : `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

function bootOf(table: string): string {
  return table.split(' ')[0] ?? '';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
