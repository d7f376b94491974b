import type { MemoryStore } from '../../catalog-cache/memory-store.js';
import { isManagerError, type ManagerError } from '../../errors.js';
import { launchFingerprint } from '../../launch/launch-fingerprint.js';
import type { ManagerPolicy } from '../../options.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session, ToolListing } from '../../session/session.js';
import type { ListChangeCause, ServerList, ServerLogEntry } from '../../session/session-listeners.js';
import type { HealthVerdict } from '../health/health-monitor.js';
import type { MachineSleep } from '../health/machine-sleep.js';
import type { Report, ServerState } from '../state/server-state.js';
import type { StartSlots } from '../state/start-slots.js';
import { Generation } from './generation.js';
import { endError } from './loss.js';

/** Parts shared by all supervisors of a manager, and the listeners of one supervisor. */
export interface SupervisorContext {
  readonly policy: ManagerPolicy;
  readonly processes: ProcessOwner;
  readonly slots: StartSlots;
  readonly sleep: MachineSleep;
  readonly memory: MemoryStore;
  /** No start before it has resolved. Never rejects. */
  readonly after?: Promise<unknown> | undefined;
  readonly onState: (previous: ServerState, state: ServerState) => void;
  readonly onHealth: (health: HealthVerdict, reason: string | undefined) => void;
  readonly onCheckPassed: () => void;
  readonly onMemoryExceeded: (memoryBytes: number, limitBytes: number) => void;
  readonly onToolsChanged: (tools: number) => void;
  /** The server announced a change, and its list is the same. */
  readonly onToolsRelisted: () => void;
  readonly onListChanged: (list: Exclude<ServerList, 'tools'>) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onElicitationCompleted: (elicitationId: string) => void;
  readonly onNotification?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly onLog: (entry: ServerLogEntry) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onEscaped: (pids: readonly number[]) => void;
  readonly onJunk: (text: string) => void;
}

interface GenerationsHooks {
  readonly report: (report: Report, generation: number) => void;
  readonly listTools: (session: Session) => Promise<ToolListing>;
  readonly untilHealthy: (session: Session, listing: ToolListing) => Promise<void>;
  readonly onListChanged: (
    list: ServerList,
    change: { readonly session: Session | undefined; readonly cause: ListChangeCause },
  ) => void;
  readonly onQuiet: (generation: number) => void;
}

export class Generations {
  readonly #context: SupervisorContext;
  readonly #hooks: GenerationsHooks;
  readonly #bySession = new WeakMap<Session, Generation>();
  readonly #renewals = new SessionRenewals();
  #present: Generation | undefined;
  #restarts = 0;
  #isRestart = false;
  #wasTooSlow = false;
  #junkLines = 0;

  constructor(context: SupervisorContext, hooks: GenerationsHooks) {
    this.#context = context;
    this.#hooks = hooks;
  }

  /** The latest one, even if it has ended. */
  get present(): Generation | undefined {
    return this.#present;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get junkLines(): number {
    return this.#junkLines;
  }

  /** A start from rest is no restart. */
  startFollows({ phase }: ServerState): void {
    this.#isRestart = phase !== 'idle' && phase !== 'disabled';
  }

  open(number: number, server: ServerPolicy): void {
    const { policy, processes, memory, slots, sleep } = this.#context;
    const { onStderrLine, onEscaped, onResourceUpdated, onElicitationCompleted, onNotification, onLog } = this.#context;
    const { report, listTools, untilHealthy, onListChanged, onQuiet } = this.#hooks;
    let hadProcess = false;
    const generation: Generation = new Generation(server, {
      policy,
      processes,
      lastFacts: () => memory.recall(launchFingerprint(server))?.facts,
      wasTooSlow: this.#wasTooSlow,
      onStderrLine,
      onEscaped,
      onResourceUpdated,
      onElicitationCompleted,
      onNotification,
      onLog,
      onJunk: this.#junkListener(),
      onListChanged,
      onCallsInFlight: (count) => {
        // Calls that end with their session report its cause, which is not known yet.
        if (count === 0 && generation.session?.isOpen) onQuiet(number);
      },
      listTools: (session) => {
        this.#bySession.set(session, generation);
        return listTools(session);
      },
      untilHealthy,
      isInSleepGrace: () => sleep.isInGrace,
      pauseStarts: (reason) => slots.pause({ reason, onRoom: () => report({ type: 'delay-over' }, number) }),
      mayRenew: () => server.target.type === 'http' && this.#renewals.tryUse(),
      report: (what) => {
        const isSpawned = what.type === 'step' && generation.pid !== undefined;
        hadProcess ||= isSpawned;
        if (what.type === 'ready') this.#wasTooSlow = false;
        if (what.type === 'lost') this.#wasTooSlow ||= isTooSlow(what.loss.cause);
        if (isSpawned) slots.spawned();
        report(what, number);
        if (what.type === 'stopped' && hadProcess) slots.roomFreed();
      },
    });
    if (this.#isRestart) this.#restarts += 1;
    this.#present = generation;
    void generation.open();
  }

  async lossOf(session: Session, server: string): Promise<ManagerError> {
    const generation = this.#bySession.get(session);
    if (generation) return generation.ended();
    await session.closed;
    return endError({ exit: undefined, isAsked: false }, { server, stderrTail: [] });
  }

  #junkListener(): (text: string) => void {
    let isReported = false;
    return (text) => {
      this.#junkLines += 1;
      if (isReported) return;
      isReported = true;
      this.#context.onJunk(text);
    };
  }
}

function isTooSlow(cause: unknown): boolean {
  return isManagerError(cause) && cause.code === 'handshake-timed-out';
}

const maxRenewals = 10;
const renewalPeriodMs = 10_000;

/**
 * A session that ends by idleness or an expired token is renewed at once. The limit stops a server that ends each new
 * session right away.
 */
export class SessionRenewals {
  readonly #at: number[] = [];

  tryUse(): boolean {
    const now = performance.now();
    while (this.#at[0] !== undefined && this.#at[0] <= now - renewalPeriodMs) this.#at.shift();
    if (this.#at.length >= maxRenewals) return false;
    this.#at.push(now);
    return true;
  }
}
