import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runningProcesses } from '@x/internal/processes';
import { ownerVariable } from '../../process/child-environment.js';
import { type LeakedResource, type OpenResources, openedSince } from './open-resources.js';

const pollMs = 20;

/** A leaked process or resource. */
export type Leak = LeakedProcess | LeakedResource;

/** A running process that a client manager started, or its descendant. */
export interface LeakedProcess {
  readonly kind: 'process';
  readonly pid: number;
  /** Program and arguments, for people. */
  readonly command: string;
}

/** Scope of a leak check. */
export interface LeakOptions {
  /** Process id of the managers' owner, which may have ended. Default: this process. */
  readonly host?: number | undefined;
  /**
   * Earlier result of `openResources`. Also reports later timers, sockets, servers and pipes of this process. Default:
   * processes only.
   */
  readonly since?: OpenResources | undefined;
}

/** Scope and duration of a leak check. */
export interface ExpectNoLeaksOptions extends LeakOptions {
  /** Time for processes and resources to end, in milliseconds. Default 2 000. */
  readonly graceMs?: number | undefined;
}

/**
 * Finds running processes that a process's client managers started, and their descendants, by the owner marker in their
 * environment. Uses `/proc` on Linux and `ps` elsewhere; finds no process on Windows. With `since`, also finds open
 * resources of this process.
 *
 * @throws {TypeError} Names the invalid option.
 */
export async function findLeaks({ host = process.pid, since }: LeakOptions = {}): Promise<readonly Leak[]> {
  if (!(Number.isInteger(host) && host > 0)) throw new TypeError(`host must be the id of a process, got ${host}`);
  const resources = since ? openedSince(since) : []; // first, since the search opens resources
  return [...(await findProcesses(`${ownerVariable}=${host}-`)), ...resources];
}

/**
 * Fails if a process of a manager in this process still runs, and kills it. One line in a test file: `afterEach(() =>
 * expectNoLeaks());`
 *
 * @throws {Error} Lists the leaks.
 * @throws {TypeError} Names the invalid option.
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
  throw new Error(`Found leaks. Close every manager and every fake server.\n${list}`);
}

function describe(leak: Leak): string {
  if (leak.kind !== 'process') return `${leak.count} unclosed ${leak.kind}${leak.count > 1 ? 's' : ''}`;
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

/** Empty for ended processes and without permission. */
function readWords(pid: number, file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** With `e`, `ps` appends the environment of the user's own processes. */
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
    // ended already
  }
}
