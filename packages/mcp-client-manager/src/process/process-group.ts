import { execFile } from 'node:child_process';
import { liveGroups } from './live-groups.js';

/**
 * A server's process and its descendants. On POSIX the server leads its own group, so that a wrapper such as `npx` and
 * the wrapped program get the same signal. On Windows `taskkill` ends the process tree.
 */
export class ProcessGroup {
  readonly #leader: number;

  constructor(leader: number) {
    this.#leader = leader;
    endWithHost(this);
  }

  /** Sends `signal` to every process of the group. An ended group is no error. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      execFile('taskkill', ['/PID', String(this.#leader), '/T', ...force], () => {
        // `taskkill` fails when the tree has ended; the caller checks that.
      });
      return;
    }
    this.#send(signal);
    // A suspended process handles SIGTERM only after SIGCONT.
    if (signal === 'SIGTERM') this.#send('SIGCONT');
  }

  /** True if a process of the group still runs. Zombies do not count. */
  async isAlive(): Promise<boolean> {
    if (process.platform === 'win32') return canSignal(this.#leader);
    if (!canSignal(-this.#leader)) return false;
    return process.platform !== 'linux' || liveGroups.has(this.#leader);
  }

  /** Must be called when the group has ended: the system may reuse its number. */
  release(): void {
    unreleased.delete(this);
  }

  #send(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#leader, signal);
    } catch {}
  }
}

const unreleased = new Set<ProcessGroup>();
let isWatchingHost = false;

/** `process.exit()` waits for nothing, so that the remaining groups are killed in its handler. */
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

/** ESRCH: no such process. EPERM on macOS: only zombies are left in the group. */
function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ESRCH' || (code === 'EPERM' && process.platform === 'darwin');
}
