import { memoryByGroup } from '../../process/group-memory.js';
import type { ServerPolicy } from '../../resolve-spec.js';

export interface MemoryMonitorHooks {
  /** Called once a start at most. */
  readonly onExceeded: (memoryBytes: number, limitBytes: number) => void;
}

/** Looks now and then how much memory a ready server takes that may not take any amount. */
export class MemoryMonitor {
  readonly #hooks: MemoryMonitorHooks;
  #server: ServerPolicy;
  #pid: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: ServerPolicy, hooks: MemoryMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** @param pid - Leads the server's process group. `undefined`: it has no process of its own, and so no memory. */
  start(pid: number | undefined): void {
    this.#pid = pid;
    this.#lookLater();
  }

  /** From the next look on, which begins to be waited for now if the rhythm is another. */
  update(server: ServerPolicy): void {
    const { memoryLimitBytes, healthCheckIntervalMs } = this.#server;
    this.#server = server;
    const isSame =
      server.memoryLimitBytes === memoryLimitBytes && server.healthCheckIntervalMs === healthCheckIntervalMs;
    if (!isSame) this.#lookLater();
  }

  stop(): void {
    this.#pid = undefined;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    const { memoryLimitBytes, healthCheckIntervalMs } = this.#server;
    const pid = this.#pid;
    if (pid === undefined || memoryLimitBytes === undefined) return;
    this.#timer = setTimeout(() => this.#look(pid, memoryLimitBytes), healthCheckIntervalMs);
    this.#timer.unref(); // an idle host may end; its servers end with it
  }

  #look(pid: number, limitBytes: number): void {
    const memoryBytes = memoryByGroup(new Set([pid])).get(pid) ?? 0;
    if (memoryBytes > limitBytes) this.#hooks.onExceeded(memoryBytes, limitBytes);
    else this.#lookLater();
  }
}
