import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Grace period for exiting processes. */
const graceMs = 2_000;
const pollMs = process.platform === 'linux' ? 20 : 200;

export interface LeakedProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Fails if a process that this test started still runs, and kills it. Use it as `afterEach(expectNoLeaks);`.
 * Independent of the leak check of `@x/mcp-client-manager/testing`, which it also tests.
 */
export async function expectNoLeaks(): Promise<void> {
  const deadline = performance.now() + graceMs;
  let leaks = await findLeaks();
  while (leaks.length > 0 && performance.now() < deadline) {
    await delay(pollMs);
    leaks = await findLeaks();
  }
  if (leaks.length === 0) return;
  for (const { pid } of leaks) kill(pid);
  const list = leaks.map(({ pid, command }) => `  ${pid}  ${command}`).join('\n');
  throw new Error(`The test left ${leaks.length} process(es) behind; they have been killed:\n${list}`);
}

/**
 * Processes whose environment contains `marker`. Only Linux exposes environments: macOS returns all descendants of this
 * process, Windows none.
 *
 * @param marker - Start of a `NAME=value` entry. Default: the owner variable of this process.
 */
export async function findLeaks(marker = `${ownerVariable}=${ownerPrefix()}`): Promise<LeakedProcess[]> {
  if (process.platform === 'linux') return findByEnvironment(marker);
  return process.platform === 'win32' ? [] : findDescendants();
}

/** Synchronous, which takes a third of the processor time: these files are on no disk, and every test reads them. */
function findByEnvironment(marker: string): LeakedProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => inspect(Number(pid), marker) ?? []);
}

function inspect(pid: number, marker: string): LeakedProcess | undefined {
  try {
    if (pid === process.pid || statSync(`/proc/${pid}`).uid !== process.getuid?.()) return undefined;
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    if (!`\0${environment}`.includes(`\0${marker}`)) return undefined;
    if (isZombie(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, command };
  } catch {
    return undefined; // gone or not accessible
  }
}

/** The state follows the command name, whose parentheses may contain others. */
function isZombie(statLine: string): boolean {
  return /^ [ZX] /.test(statLine.slice(statLine.lastIndexOf(')') + 1));
}

async function findDescendants(): Promise<LeakedProcess[]> {
  const running = run('ps', ['-A', '-o', 'pid=,ppid=,stat=,command=']);
  const rows = (await running).stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (match === null || match[3]?.startsWith('Z') || Number(match[1]) === running.child.pid) return [];
    return [{ pid: Number(match[1]), parent: Number(match[2]), command: match[4] ?? '' }];
  });
  const family = new Set([process.pid]);
  // Repeats, because a child may be listed before its parent.
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of rows) if (family.has(parent)) family.add(pid);
  }
  family.delete(process.pid);
  return rows.filter(({ pid }) => family.has(pid)).map(({ pid, command }) => ({ pid, command }));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited between the check and the kill.
  }
}

/** Environment variable that the client manager sets for every process. */
export const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';

/** Prefix of its value for children of this process. */
export function ownerPrefix(): string {
  return `${process.pid}-`;
}

/** Environment that marks a process as a child of this test, for tests without the client manager. */
export function withOwner(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, [ownerVariable]: `${ownerPrefix()}test` };
}
