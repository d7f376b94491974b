import { ManagerError } from '../../errors.js';
import type { ProcessGroup } from '../process-group.js';

export interface StuckProcess {
  readonly pid: number;
  readonly processes: Pick<ProcessGroup, 'isAlive' | 'release'>;
  readonly gone: () => Promise<void>;
}

/** Processes that survived SIGKILL. They block the next start of their server. */
export class StuckProcesses {
  readonly #stuck = new Map<string, StuckProcess[]>();

  add(server: string, stuck: StuckProcess): void {
    this.#stuck.set(server, [...(this.#stuck.get(server) ?? []), stuck]);
  }

  /** @throws {ManagerError} `stop-failed` */
  async requireGone(server: string): Promise<void> {
    for (const { pid, processes, gone } of this.#stuck.get(server) ?? []) {
      if (await processes.isAlive()) throw stillThere(server, pid);
      processes.release();
      await gone();
    }
    this.#stuck.delete(server);
  }
}

function stillThere(server: string, pid: number): ManagerError {
  const message = `Server "${server}" cannot start: its process ${pid} could not be ended. Start the server again after that process has ended; it usually waits for a disk or a network file system.`;
  return new ManagerError('stop-failed', message, { server });
}
