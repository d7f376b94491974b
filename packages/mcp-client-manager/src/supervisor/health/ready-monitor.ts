import { memoryByGroup } from '@x/internal/processes';
import { ManagerError } from '../../errors.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session } from '../../session/session.js';
import { HealthMonitor, type HealthMonitorHooks } from './health-monitor.js';
import type { MachineSleep } from './machine-sleep.js';

export interface ReadyMonitorHooks extends HealthMonitorHooks, MemoryMonitorHooks {
  readonly onUnused: () => void;
}

export class ReadyMonitor {
  readonly health: HealthMonitor;
  readonly demand: Demand;
  readonly #memory: MemoryMonitor;
  readonly #sleep: MachineSleep;
  #server: ServerPolicy;
  #since: number | undefined;
  #ignoreWaking: (() => void) | undefined;

  constructor(server: ServerPolicy, sleep: MachineSleep, hooks: ReadyMonitorHooks) {
    this.#server = server;
    this.#sleep = sleep;
    this.health = new HealthMonitor(server, hooks);
    this.#memory = new MemoryMonitor(server, hooks);
    this.demand = new Demand(hooks.onUnused);
  }

  get uptimeMs(): number | undefined {
    return this.#since === undefined ? undefined : Math.round(performance.now() - this.#since);
  }

  start(session: Session, pid: number | undefined): void {
    this.#since = performance.now();
    this.health.start(session);
    this.#memory.start(pid);
    this.demand.watch(idleLimitOf(this.#server));
    // A verdict from before the sleep is outdated.
    this.#ignoreWaking = this.#sleep.onWake(() => void this.health.checkNow());
  }

  update(server: ServerPolicy): void {
    const isSameLimit = idleLimitOf(server) === idleLimitOf(this.#server);
    this.#server = server;
    this.health.update(server);
    this.#memory.update(server);
    if (this.#since !== undefined && !isSameLimit) this.demand.watch(idleLimitOf(server));
  }

  stop(): void {
    this.#since = undefined;
    this.health.stop();
    this.#memory.stop();
    this.demand.stop();
    this.#ignoreWaking?.();
  }
}

function idleLimitOf({ eager, limits }: ServerPolicy): number | undefined {
  return eager ? undefined : limits.idleStopMs;
}

/** Reports a server that was unused for its idle limit. */
class Demand {
  readonly #onUnused: () => void;
  #calls = 0;
  #lastUsed = 0;
  #limitMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  get calls(): number {
    return this.#calls;
  }

  begin(): void {
    this.#calls += 1;
  }

  end(): void {
    this.#calls -= 1;
    this.touch();
  }

  touch(): void {
    if (this.#limitMs !== undefined) this.#lastUsed = performance.now();
  }

  watch(limitMs: number | undefined): void {
    this.stop();
    this.#limitMs = limitMs;
    this.touch();
    if (limitMs !== undefined) this.#scheduleCheck(limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#limitMs = undefined;
  }

  /** One timer serves any number of calls. */
  #scheduleCheck(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const limitMs = this.#limitMs;
      if (limitMs === undefined) return;
      const leftMs = this.#calls > 0 ? limitMs : this.#lastUsed + limitMs - performance.now();
      if (leftMs > 0) this.#scheduleCheck(Math.ceil(leftMs));
      else this.#onUnused();
    }, delayMs);
    this.#timer.unref();
  }
}

interface MemoryMonitorHooks {
  readonly onExceeded: (memoryBytes: number, limitBytes: number) => void;
}

/** Checks periodically the memory of a ready server that has a limit. */
class MemoryMonitor {
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
    const { limits, health } = this.#server;
    this.#server = server;
    const isSame =
      server.limits.maxMemoryBytes === limits.maxMemoryBytes && server.health.intervalMs === health.intervalMs;
    if (!isSame) this.#scheduleCheck();
  }

  stop(): void {
    this.#pid = undefined;
    clearTimeout(this.#timer);
  }

  #scheduleCheck(): void {
    clearTimeout(this.#timer);
    const { limits, health } = this.#server;
    const { maxMemoryBytes } = limits;
    const pid = this.#pid;
    if (pid === undefined || maxMemoryBytes === undefined) return;
    this.#timer = setTimeout(() => this.#check(pid, maxMemoryBytes), health.intervalMs);
    this.#timer.unref();
  }

  #check(pid: number, limitBytes: number): void {
    const memoryBytes = memoryByGroup(new Set([pid])).get(pid) ?? 0;
    if (memoryBytes > limitBytes) this.#hooks.onExceeded(memoryBytes, limitBytes);
    else this.#scheduleCheck();
  }
}

export function memoryExceededError(server: string, memoryBytes: number, limitBytes: number): ManagerError {
  const message = `Server "${server}" took ${mebibytes(memoryBytes)} of memory; its spec allows ${mebibytes(limitBytes)}`;
  return new ManagerError('memory-exceeded', message, { server });
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
