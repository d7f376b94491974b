import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session } from '../../session/session.js';
import { Demand } from './demand.js';
import { HealthMonitor, type HealthMonitorHooks } from './health-monitor.js';
import type { MachineSleep } from './machine-sleep.js';
import { MemoryMonitor, type MemoryMonitorHooks } from './memory-monitor.js';

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

function idleLimitOf({ eager, idleStopMs }: ServerPolicy): number | undefined {
  return eager ? undefined : idleStopMs;
}
