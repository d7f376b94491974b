import { execFile } from 'node:child_process';
import { win32 } from 'node:path';
import { liveGroups } from './process-table.js';

/**
 * A server's process and its descendants. On POSIX the server leads a group: a wrapper such as `npx` and its program
 * get the same signal. On Windows `taskkill` ends the process tree.
 */
export class ProcessGroup {
  readonly #leader: number;

  constructor(leader: number) {
    this.#leader = leader;
    endWithHost(this);
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      signalTree(this.#leader, signal);
      return;
    }
    this.#send(signal);
    // A suspended process handles SIGTERM only after SIGCONT.
    if (signal === 'SIGTERM') this.#send('SIGCONT');
  }

  /** Zombies do not count. */
  async isAlive(): Promise<boolean> {
    if (process.platform === 'win32') return canSignal(this.#leader);
    if (!canSignal(-this.#leader)) return false;
    return process.platform !== 'linux' || liveGroups.has(this.#leader);
  }

  /** Call it when the group has ended: the system may reuse its number. */
  release(): void {
    unreleased.delete(this);
  }

  #send(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#leader, signal);
    } catch {}
  }
}

function signalTree(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  const [program, ...args] = treeCommand(leader, signal, process.env);
  execFile(program, args, (error) => {
    // It also fails when the tree has ended. Without its leader, the children that Node.js started end too.
    if (error !== null && signal === 'SIGKILL' && canSignal(leader)) endLeader(leader);
  });
}

function endLeader(leader: number): void {
  try {
    process.kill(leader, 'SIGKILL');
  } catch {} // it has just ended
}

/** The full path: Windows would search the current directory first. */
export function treeCommand(
  leader: number,
  signal: 'SIGTERM' | 'SIGKILL',
  { SystemRoot = 'C:\\Windows' }: NodeJS.ProcessEnv,
): readonly [program: string, ...args: string[]] {
  const force = signal === 'SIGKILL' ? ['/F'] : [];
  return [win32.join(SystemRoot, 'System32', 'taskkill.exe'), '/PID', String(leader), '/T', ...force];
}

const unreleased = new Set<ProcessGroup>();
let isWatchingHost = false;

/** Kills the remaining groups in the exit handler: `process.exit()` waits for nothing. */
function endWithHost(group: ProcessGroup): void {
  unreleased.add(group);
  if (isWatchingHost) return;
  isWatchingHost = true;
  process.on('exit', () => {
    for (const group of unreleased) group.signal('SIGKILL');
  });
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isGone(error);
  }
}

/** ESRCH: no such process. EPERM on macOS: only zombies are left. */
function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ESRCH' || (code === 'EPERM' && process.platform === 'darwin');
}
