import { memoryByGroup } from '../../process/group-memory.js';
import type { ServerPolicy } from '../../resolve-spec.js';

export interface MemoryMonitorHooks {
  readonly onExceeded: (memoryBytes: number, limitBytes: number) => void;
}

/** Checks periodically the memory of a ready server that has a limit. */
export class MemoryMonitor {
  readonly #hooks: MemoryMonitorHooks;
  #server: ServerPolicy;
  #pid: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: ServerPolicy, hooks: MemoryMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** @param pid - Leader of the process group. `undefined`: no process, and no check. */
  start(pid: number | undefined): void {
    this.#pid = pid;
    this.#scheduleCheck();
  }

  update(server: ServerPolicy): void {
    const { memoryLimitBytes, healthCheckIntervalMs } = this.#server;
    this.#server = server;
    const isSame =
      server.memoryLimitBytes === memoryLimitBytes && server.healthCheckIntervalMs === healthCheckIntervalMs;
    if (!isSame) this.#scheduleCheck();
  }

  stop(): void {
    this.#pid = undefined;
    clearTimeout(this.#timer);
  }

  #scheduleCheck(): void {
    clearTimeout(this.#timer);
    const { memoryLimitBytes, healthCheckIntervalMs } = this.#server;
    const pid = this.#pid;
    if (pid === undefined || memoryLimitBytes === undefined) return;
    this.#timer = setTimeout(() => this.#check(pid, memoryLimitBytes), healthCheckIntervalMs);
    this.#timer.unref();
  }

  #check(pid: number, limitBytes: number): void {
    const memoryBytes = memoryByGroup(new Set([pid])).get(pid) ?? 0;
    if (memoryBytes > limitBytes) this.#hooks.onExceeded(memoryBytes, limitBytes);
    else this.#scheduleCheck();
  }
}
