import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 20;

/** A program and its descendants: on POSIX the group that it leads, on Windows its tree. */
export class ProgramGroup implements Disposable {
  readonly #leader: number;
  /** It no longer gets the signals of the terminal. */
  readonly #endWithHost = (): void => this.signal('SIGKILL');

  constructor(leader: number) {
    this.#leader = leader;
    process.once('exit', this.#endWithHost);
  }

  /** Call it when the group has ended: the system may reuse its number. */
  [Symbol.dispose](): void {
    process.off('exit', this.#endWithHost);
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (platform() === 'win32') {
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      // It fails when the tree has ended.
      execFile('taskkill', ['/PID', String(this.#leader), '/T', ...force], () => undefined);
      return;
    }
    this.#send(signal);
    // A suspended process handles SIGTERM only after SIGCONT.
    if (signal === 'SIGTERM') this.#send('SIGCONT');
  }

  /** Ends what is left after the program. On Windows no tree is left then. */
  async end(graceMs: number): Promise<void> {
    if (platform() === 'win32' || !this.#isAlive()) return;
    this.signal('SIGTERM');
    const limit = performance.now() + graceMs;
    while (this.#isAlive() && performance.now() < limit) await sleep(pauseMs);
    if (this.#isAlive()) this.signal('SIGKILL');
  }

  #isAlive(): boolean {
    return this.#send(0);
  }

  /** Returns false if there is no process of the group. */
  #send(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#leader, signal);
    } catch {
      return false;
    }
  }
}
