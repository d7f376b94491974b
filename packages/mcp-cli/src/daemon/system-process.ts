import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies one process among all that ever have its pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** As the system counts it. Empty where it is unknown. */
  readonly startTime: string;
  /** Boot of the machine and pid namespace. */
  readonly table: string;
}

/** `undefined` if no such process is known to run. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : foreignStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, table: tableId() };
}

export function ownIdentity(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, startTime: '', table: tableId() };
}

/**
 * True while that very process runs. A pid of another boot is invalid. A pid of another container cannot be checked, so
 * it counts as running.
 */
export function isAlive({ pid, startTime, table }: ProcessIdentity): boolean {
  const ownTable = tableId();
  if (table !== ownTable) return bootOf(table) === bootOf(ownTable);
  const now = identify(pid);
  return now !== undefined && now.startTime === startTime;
}

/** Monotonic milliseconds. `performance.now()` would load a module of Node.js first, which takes 1 ms. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Sends a signal to that very process. @returns False if it is gone. */
export function sendSignal(identity: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL' | 'SIGHUP'): boolean {
  if (identity.table !== tableId() || !isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false; // it ended just now or belongs to another user
  }
}

/** @param value - Untrusted. A signal to a pid below 2 would reach a group or every process. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime, table } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  return (
    Number.isSafeInteger(pid) && (pid as number) >= 2 && typeof startTime === 'string' && typeof table === 'string'
  );
}

/** In clock ticks since the boot. A zombie counts as ended, because containers without an init never reap it. */
function linuxStartTime(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // `pid (name) state ppid …`; the name may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** In seconds, from `ps`. Empty on Windows, which compares only the pid. */
function foreignStartTime(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  if (process.platform === 'win32') return '';
  try {
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    // A list of its own for each column, as POSIX has it: after "=", some systems read all as a heading.
    const columns = ['-o', 'stat=', '-o', 'lstart='];
    const [state, ...start] = execFileSync('ps', [...columns, '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state?.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

/** On Windows `/proc` is a folder of the current drive: processes on two drives would disagree. */
export function tableId(platform: string = process.platform): string {
  if (platform === 'win32') return hostname();
  const boot = read('/proc/sys/kernel/random/boot_id').trim();
  try {
    // Containers share a boot but have pid namespaces of their own.
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
