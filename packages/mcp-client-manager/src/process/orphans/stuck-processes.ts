import { ManagerError } from '../../errors.js';
import type { ProcessGroup } from '../process-group.js';

export interface StuckProcess {
  readonly pid: number;
  /** The process and all it has started. */
  readonly processes: Pick<ProcessGroup, 'isAlive' | 'release'>;
  /** To be called when it has gone after all. */
  readonly gone: () => Promise<void>;
}

/** Processes that outlived SIGKILL, by the names of their servers. Nothing may start beside one of them. */
export class StuckProcesses {
  readonly #stuck = new Map<string, StuckProcess[]>();

  add(server: string, stuck: StuckProcess): void {
    this.#stuck.set(server, [...(this.#stuck.get(server) ?? []), stuck]);
  }

  /** @throws {ManagerError} `stop-failed`, while a process of the server is still there. */
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
  const message = `Server "${server}" cannot start: its process ${pid} from before could not be ended, and two of one server must not run. Start it again when that process is gone; mostly it waits for a disk or a network file system.`;
  return new ManagerError('stop-failed', message, { server });
}
