import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ownerVariable } from '../process/child-environment.js';
import { runningProcesses } from '../process/process-table.js';

const pollMs = 20;

export interface LeakedProcess {
  readonly pid: number;
  /** Its program and arguments, for people. */
  readonly command: string;
}

export interface LeakOptions {
  /** Process id of the host whose managers are meant; it may be gone. Default: this process. */
  readonly host?: number | undefined;
}

/**
 * The living processes that the client managers of a host have started, and what those have started in turn: all that
 * carry the mark that managers put into the environment. Linux reads it from `/proc`, macOS and other systems ask `ps`.
 * Windows does not tell, and the list is always empty there.
 */
export async function findLeaks({ host = process.pid }: LeakOptions = {}): Promise<readonly LeakedProcess[]> {
  const marker = `${ownerVariable}=${host}-`;
  if (process.platform === 'win32') return [];
  return process.platform === 'linux' ? markedInTable(marker) : markedInListing(await listing(), marker);
}

/**
 * Fails when a process that a manager of this process has started is still there, and kills it so that nothing outlives
 * the test. In a test file it is one line: `afterEach(() => expectNoLeaks());`
 *
 * @param options.graceMs - How long a process that is on its way out may take, in milliseconds. Default 2 000.
 * @throws {Error} Names what was left behind.
 */
export async function expectNoLeaks({
  graceMs = 2_000,
  ...options
}: LeakOptions & { readonly graceMs?: number | undefined } = {}): Promise<void> {
  let leaks = await findLeaks(options);
  for (let waitedMs = 0; leaks.length > 0 && waitedMs < graceMs; waitedMs += pollMs) {
    await delay(pollMs);
    leaks = await findLeaks(options);
  }
  if (leaks.length === 0) return;
  for (const { pid } of leaks) kill(pid);
  const list = leaks.map(({ pid, command }) => `  ${pid}  ${command}`).join('\n');
  throw new Error(
    `${leaks.length} process(es) of client managers were left behind and have been killed. Is every manager closed?\n${list}`,
  );
}

function markedInTable(marker: string): LeakedProcess[] {
  return runningProcesses().flatMap(({ pid }) => {
    if (!readWords(pid, 'environ').some((entry) => entry.startsWith(marker))) return [];
    return [{ pid, command: readWords(pid, 'cmdline').join(' ').trim() }];
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
    return [{ pid: Number(pid), command }];
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself between the look and the kill.
  }
}
