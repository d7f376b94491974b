import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ownerVariable } from '../../process/child-environment.js';
import { runningProcesses } from '../../process/process-table.js';
import { type LeakedResource, type OpenResources, openedSince } from './open-resources.js';

const pollMs = 20;

/** What was left behind. */
export type Leak = LeakedProcess | LeakedResource;

/** A living process that a client manager has started, or that one of those has started in turn. */
export interface LeakedProcess {
  readonly kind: 'process';
  readonly pid: number;
  /** Its program and arguments, for people. */
  readonly command: string;
}

/** Where leaks are looked for. */
export interface LeakOptions {
  /** Process id of the host whose managers are meant; it may be gone. Default: this process. */
  readonly host?: number | undefined;
  /**
   * What `openResources` said before. With it, what this process has more of now counts, too: timers, sockets, servers
   * and pipes, whoever opened them. Default: processes alone.
   */
  readonly since?: OpenResources | undefined;
}

/** Where leaks are looked for, and for how long. */
export interface ExpectNoLeaksOptions extends LeakOptions {
  /** How long something that is on its way out may take, in milliseconds. Default 2 000. */
  readonly graceMs?: number | undefined;
}

/**
 * The living processes that the client managers of a host have started, and what those have started in turn: all that
 * carry the mark that managers put into the environment. Linux reads it from `/proc`, macOS and other systems ask `ps`.
 * Windows does not tell, and no process is found there. With `since`, also what else this process has not closed.
 *
 * @throws {TypeError} Names the option that makes no sense.
 */
export async function findLeaks({ host = process.pid, since }: LeakOptions = {}): Promise<readonly Leak[]> {
  if (!(Number.isInteger(host) && host > 0)) throw new TypeError(`host must be the id of a process, got ${host}`);
  const resources = since ? openedSince(since) : []; // first: to look for processes opens some, too
  return [...(await findProcesses(`${ownerVariable}=${host}-`)), ...resources];
}

/**
 * Fails when a process that a manager of this process has started is still there, and kills it so that nothing outlives
 * the test. In a test file it is one line: `afterEach(() => expectNoLeaks());`
 *
 * @throws {Error} Says what was left behind.
 * @throws {TypeError} Names the option that makes no sense.
 */
export async function expectNoLeaks({ graceMs = 2_000, ...options }: ExpectNoLeaksOptions = {}): Promise<void> {
  if (!(graceMs >= 0)) throw new TypeError(`graceMs must be a number from 0 on, got ${graceMs}`);
  let leaks = await findLeaks(options);
  for (let waitedMs = 0; leaks.length > 0 && waitedMs < graceMs; waitedMs += pollMs) {
    await delay(pollMs);
    leaks = await findLeaks(options);
  }
  if (leaks.length === 0) return;
  const list = leaks.map((leak) => `  ${describe(leak)}`).join('\n');
  for (const leak of leaks) {
    if (leak.kind === 'process') kill(leak.pid);
  }
  throw new Error(`Something was left behind. Is every manager and every fake server closed?\n${list}`);
}

function describe(leak: Leak): string {
  if (leak.kind !== 'process') return `${leak.count} ${leak.kind}${leak.count > 1 ? 's' : ''} that nobody has closed`;
  return `process ${leak.pid} of a client manager (killed now): ${leak.command}`;
}

async function findProcesses(marker: string): Promise<LeakedProcess[]> {
  if (process.platform === 'win32') return [];
  return process.platform === 'linux' ? markedInTable(marker) : markedInListing(await listing(), marker);
}

function markedInTable(marker: string): LeakedProcess[] {
  return runningProcesses().flatMap(({ pid }) => {
    if (!readWords(pid, 'environ').some((entry) => entry.startsWith(marker))) return [];
    return [{ kind: 'process', pid, command: readWords(pid, 'cmdline').join(' ').trim() }];
  });
}

/** Empty for what has ended meanwhile and for what is not ours to read. */
function readWords(pid: number, file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** With `e`, `ps` shows the environment of the user's own processes behind their command. */
async function listing(): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return stdout;
}

/** @internal For its test. */
export function markedInListing(text: string, marker: string): LeakedProcess[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, state, rest = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z') || !rest.includes(` ${marker}`)) return [];
    const [command = ''] = rest.split(/ (?=[A-Za-z_]\w*=)/, 1);
    return [{ kind: 'process', pid: Number(pid), command }];
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself between the look and the kill.
  }
}
