import { execFile } from 'node:child_process';
import { liveGroups } from './live-groups.js';

/**
 * The processes that a server's process started, and itself. On POSIX the server leads a group of its own, so that a
 * wrapper such as `npx` and what it wraps get the same signal. Windows has no groups: the tree is ended by `taskkill`.
 */
export class ProcessGroup {
  readonly #leader: number;

  constructor(leader: number) {
    this.#leader = leader;
    endWithHost(this);
  }

  /** Sends `signal` to every process of the group; a group that is gone already is no error. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      execFile('taskkill', ['/PID', String(this.#leader), '/T', ...force], () => {
        // Its exit code says no more than that the tree is gone already; the ladder looks for itself.
      });
      return;
    }
    this.#send(signal);
    // A stopped process acts on SIGTERM only once it runs again.
    if (signal === 'SIGTERM') this.#send('SIGCONT');
  }

  /** Whether a process of the group still runs. A zombie, which nobody has waited for yet, does not count. */
  async isAlive(): Promise<boolean> {
    if (process.platform === 'win32') return canSignal(this.#leader);
    if (!canSignal(-this.#leader)) return false;
    // Signal 0 also reaches zombies.
    return process.platform !== 'linux' || liveGroups.has(this.#leader);
  }

  /** To be called when the group is gone: its number may belong to a stranger from now on. */
  release(): void {
    unreleased.delete(this);
  }

  #send(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#leader, signal);
    } catch {
      // Gone already, or not ours to signal: who wants to know looks at what is left of the group.
    }
  }
}

const unreleased = new Set<ProcessGroup>();
let isWatchingHost = false;

/** A host that calls `process.exit()` cannot wait for anything; what it started must not outlive it all the same. */
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

/** ESRCH: no such process. EPERM (macOS): all that is left of the group is zombies. */
function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ESRCH' || (code === 'EPERM' && process.platform === 'darwin');
}
