import { isDeepStrictEqual } from 'node:util';
import { allowsTool } from '@x/internal/server-fields';
import { isManagerError, ManagerError } from '../errors.js';
import { launchFingerprint, processFingerprint } from '../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { ServerTool, Session, SessionFacts, ToolListing } from '../session/session.js';
import type { Generation } from './generation/generation.js';
import { Generations, type SupervisorContext } from './generation/generations.js';
import { MissingCommand } from './generation/missing-command.js';
import { failureIn } from './generation/refusal.js';
import { memoryExceededError, ReadyMonitor, type ReadyMonitorHooks } from './health/ready-monitor.js';
import { ReadyWaiters } from './ready-waiters.js';
import { restartRules } from './state/backoff.js';
import { nextState } from './state/next-state.js';
import {
  aimOf,
  type CloseReason,
  hasProcess,
  initialState,
  isLessStable,
  type Report,
  type ServerInput,
  type ServerState,
} from './state/server-state.js';
import { type ServerStatus, statusOf } from './state/server-status.js';
import type { ReleaseSlot } from './state/start-slots.js';
import { StateLoop } from './state/state-loop.js';
import { StateTimers } from './state/state-timers.js';
import { KnownTools } from './tools/known-tools.js';

/** Time for calls in progress when their server must stop. */
const drainMs = 10_000;

interface WaitLimit {
  readonly signal?: AbortSignal | undefined;
}

/** Supervises one server: carries out the states that `nextState` decides. */
export class Supervisor {
  onUpdated: () => void = () => undefined;
  readonly #context: SupervisorContext;
  readonly #loop: StateLoop;
  readonly #timers: StateTimers;
  readonly #waiters: ReadyWaiters = new ReadyWaiters(this, () => this.#context.slots.becameUrgent());
  readonly #tools: KnownTools;
  readonly #monitor: ReadyMonitor;
  readonly #missing: MissingCommand;
  readonly #generations: Generations;
  #server: ServerPolicy;
  #releaseSlot: ReleaseSlot | undefined;
  #lastError: string | undefined;
  #wasStopped = false;

  constructor(server: ServerPolicy, context: SupervisorContext) {
    this.#server = server;
    this.#context = context;
    this.#loop = new StateLoop({
      initial: initialState(server),
      decide: (state, input) => nextState(state, input, restartRules(this.#server)),
      onChange: (previous, input) => this.#changed(previous, input),
    });
    this.#timers = new StateTimers((report, generation) => {
      // An open connection alone is no proof of health.
      if (report.type !== 'steady' || this.#monitor.health.isWell) this.#report(report, generation);
    });
    this.#generations = new Generations(context, {
      report: (report, generation) => this.#report(report, generation),
      listTools: (session) => this.#tools.list(session),
      untilHealthy: (session, listing) => this.#monitor.health.untilPassed(session, listing),
      onListChanged: (list, change) => {
        if (list === 'tools') this.#tools.invalidate(change.session, change.cause);
        else this.#context.onListChanged(list);
      },
      onQuiet: (generation) => {
        if (this.state.phase === 'draining') this.#report({ type: 'drained' }, generation);
      },
    });
    this.#missing = new MissingCommand(context.processes);
    this.#tools = new KnownTools({
      memory: context.memory,
      present: () => ({ server: this.#server, state: this.state }),
      onListed: (listing) => this.#relisted(listing),
      onChanged: context.onToolsChanged,
      onSame: context.onToolsRelisted,
    });
    this.#monitor = new ReadyMonitor(server, context.sleep, this.#monitorHooks(context));
  }

  get server(): ServerPolicy {
    return this.#server;
  }

  get state(): ServerState {
    return this.#loop.state;
  }

  /** None while the server is down after a failure. */
  get tools(): readonly ServerTool[] {
    return this.#tools.offered;
  }

  /** The tools of the last list, even while none are offered. */
  get knownTools(): readonly ServerTool[] {
    return this.#tools.allowed;
  }

  /** True if `knownTools` is the server's list, even if empty. */
  get hasListedTools(): boolean {
    return this.#tools.isListed;
  }

  /** `undefined` while the server is not ready. */
  get sessionFacts(): SessionFacts | undefined {
    return this.state.phase === 'ready' ? this.#session?.facts : undefined;
  }

  /** While the server is down, those of the last session of this launch, in any process. */
  get instructions(): string | undefined {
    return (this.sessionFacts ?? this.#tools.facts)?.instructions;
  }

  get status(): ServerStatus {
    return statusOf(this, {
      generation: this.#generation,
      session: this.#session,
      generations: this.#generations,
      tools: this.#tools,
      monitor: this.#monitor,
      timers: this.#timers,
      lastError: this.#lastError,
    });
  }

  /** Reason why the server accepts no calls, for people; `undefined` without a known failure. */
  get whyNotReady(): string | undefined {
    return this.state.phase === 'ready' ? undefined : (failureIn(this.state) ?? this.#context.slots.shortage);
  }

  stderrTail(): readonly string[] {
    return this.#generation?.stderrTail() ?? [];
  }

  allowsTool(tool: string): boolean {
    return allowsTool(this.#server, tool);
  }

  /** `undefined` while the server drains, too. */
  get readySession(): Session | undefined {
    return this.state.phase === 'ready' && this.#session?.isOpen ? this.#session : undefined;
  }

  /** A call, queued or sent, defers the stop for disuse; each needs one `callEnded`. Starts nothing. */
  callBegan(): void {
    this.#monitor.demand.begin();
  }

  callEnded(): void {
    this.#monitor.demand.end();
  }

  /** A request timed out without any byte from the server, and no older one is in progress. */
  unanswered(session: Session, sentAtMs: number): void {
    this.#monitor.health.suspect(session, sentAtMs);
  }

  /**
   * Starts the server if its spec allows that. While a generation drains before its replacement, waits for the next
   * one.
   */
  async acquireSession(limit: WaitLimit = {}): Promise<Session> {
    this.#monitor.demand.touch();
    if (!this.#server.autoStart) return this.#waiters.wait(limit.signal);
    const isRepaired = this.state.phase === 'failed' && (await this.#missing.isRepaired(this.#server));
    await this.#loop.dispatchSettled({ type: 'demand', isRepaired });
    return this.#waiters.wait(limit.signal);
  }

  /** Starts the server even with `autoStart: false`. Joins a start in progress. */
  async start(limit: WaitLimit = {}): Promise<Session> {
    this.#monitor.demand.touch();
    // A session may end shortly before its cause is known.
    const isOver = this.state.phase === 'ready' && !this.#session?.isOpen;
    await this.#loop.dispatchSettled(isOver ? { type: 'restart', drainMs: 0 } : { type: 'start' });
    return this.#waiters.wait(limit.signal, { isStart: true });
  }

  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  begin(): void {
    this.#loop.dispatch({ type: 'start' });
  }

  async restart(limit: WaitLimit = {}): Promise<Session> {
    await this.#loop.dispatchSettled({ type: 'restart', drainMs: this.#drainMs() });
    return this.#waiters.wait(limit.signal, { isStart: true });
  }

  /** Accepts no new calls, lets those in progress finish unless forced, and resolves when the process has ended. */
  async stop({ force = false }: { readonly force?: boolean | undefined } = {}): Promise<void> {
    this.#wasStopped = true;
    const stopped = this.#loop.dispatchSettled({ type: 'stop', drainMs: force ? 0 : this.#drainMs() });
    if (force) this.#generation?.kill();
    await stopped;
    await this.#generation?.gone();
  }

  async close({ reason, calls }: { reason: CloseReason; calls: 'end' | 'finish' }): Promise<void> {
    const drainMs = calls === 'finish' ? this.#drainMs() : 0;
    const closing = this.#loop.dispatchSettled({ type: 'close', reason, drainMs });
    if (reason === 'removed') this.#context.memory.forget(launchFingerprint(this.#server));
    await closing;
    await this.#generation?.gone();
  }

  /**
   * Applies another spec before it returns; not for listeners of the state. Restarts the server only if its launch
   * changed, after the calls in progress. Resolves when nothing of the old launch is left.
   */
  async update(server: ServerPolicy): Promise<void> {
    const previous = this.#server;
    const mayDependOnCheck = !['ready', 'idle', 'disabled'].includes(aimOf(this.state).phase);
    const isOtherCheck = mayDependOnCheck && !isDeepStrictEqual(checkOf(server), checkOf(previous));
    const isRelaunch = processFingerprint(server) !== processFingerprint(previous) || isOtherCheck;
    const isOtherLaunch = launchFingerprint(server) !== launchFingerprint(previous);
    this.#server = server;
    this.#monitor.update(server);
    this.onUpdated();
    const generation = this.#generation;
    if (isRelaunch) this.#loop.dispatch({ type: 'relaunch', drainMs: this.#drainMs() });
    if (isOtherLaunch) this.#context.memory.forget(launchFingerprint(previous));
    if (isOtherLaunch && !hasProcess(this.state)) this.#tools.recall();
    if (server.disabled && !previous.disabled) this.#loop.dispatch({ type: 'disable', drainMs: this.#drainMs() });
    if (!server.disabled && previous.disabled) this.#loop.dispatch({ type: 'enable' });
    // A server that the user stopped stays stopped, unless its launch has changed.
    const isWanted = server.eager && (isRelaunch || !previous.eager || previous.disabled);
    if (isWanted && aimOf(this.state).phase === 'idle') this.begin();
    this.#tools.announce();
    if (!isDeepStrictEqual(server.tools, previous.tools)) this.#context.onToolsChanged(this.tools.length);
    if (isRelaunch || server.disabled) await generation?.gone();
  }

  async checkHealth(limit: WaitLimit = {}): Promise<boolean> {
    limit.signal?.throwIfAborted();
    return this.state.phase === 'ready' ? this.#monitor.health.checkNow(limit) : false;
  }

  /**
   * @throws {ManagerError} `server-error` when no page arrived, `auth-required` when that requires another sign-in, or
   *   the reason for the loss of the connection.
   */
  async refreshTools(limit: WaitLimit = {}): Promise<readonly ServerTool[]> {
    const session = await this.#waiters.wait(limit.signal);
    const { completeness, problems, cause } = await this.#tools.list(session, limit);
    if (completeness !== 'unavailable') return this.tools;
    if (!session.isOpen) throw await this.lossOf(session);
    if (isManagerError(cause) && cause.code === 'auth-required') throw cause;
    const { name } = this.#server;
    const message = `Server "${name}" did not list its tools: ${problems.join('; ')}`;
    throw new ManagerError('server-error', message, { server: name, cause });
  }

  /** Waits for the end of `session`: `server-stopping` when it was requested, else `connection-lost`. */
  lossOf(session: Session): Promise<ManagerError> {
    return this.#generations.lossOf(session, this.#server.name);
  }

  get #generation(): Generation | undefined {
    return this.#generations.present;
  }

  get #session(): Session | undefined {
    return this.#generation?.session;
  }

  #drainMs(): number {
    return (this.#session?.callsInFlight ?? 0) > 0 ? drainMs : 0;
  }

  #report(report: Report, generation = this.state.generation): void {
    this.#loop.dispatch({ ...report, generation });
  }

  #changed(previous: ServerState, input: ServerInput): void {
    const { state } = this;
    if (previous.phase !== state.phase || previous.generation !== state.generation) this.#enter(previous, state);
    else if (isLessStable(previous, state)) this.#timers.enter(state);
    this.#lastError = failureIn(state) ?? this.#lastError;
    this.#context.onState(previous, state);
    if (state.phase !== 'queued' && state.phase !== 'starting') this.#releaseSlot?.();
    this.#tools.announce();
    const hasLeft = 'generation' in input && input.type === 'lost' && input.loss.kind === 'clean';
    // Calls that arrived between the session's end and its detection should wake the server.
    if (hasLeft && this.#server.autoStart && this.#waiters.size > 0) this.#loop.dispatch({ type: 'demand' });
    else this.#waiters.settle(previous);
  }

  #enter(previous: ServerState, state: ServerState): void {
    const { generation } = state;
    this.#timers.enter(state);
    this.#missing.onState(state, this.#server);
    if (previous.phase === 'ready' || (previous.phase === 'starting' && state.phase !== 'ready')) this.#monitor.stop();
    if (!hasProcess(state) || state.phase === 'stopping') this.#tools.stop();
    if (state.phase === 'queued') this.#queue(previous, generation);
    if (state.phase === 'starting') this.#generations.open(generation, this.#server);
    if (state.phase === 'stopping') void this.#generation?.stop();
    if (state.phase === 'ready' && this.#session) {
      this.#monitor.start(this.#session, this.#generation?.pid);
      this.#tools.remember(this.#session);
    }
  }

  #queue(previous: ServerState, generation: number): void {
    this.#generations.startFollows(previous);
    this.#releaseSlot = this.#context.slots.request({
      priority: this.#server.priority,
      after: this.#context.after,
      type: this.#server.target.type,
      isWaitedFor: () => this.#waiters.size > 0,
      onTurn: () => this.#report({ type: 'slot' }, generation),
    });
  }

  #monitorHooks(context: SupervisorContext): ReadyMonitorHooks {
    return {
      mayCall: (tool) => context.policy.allowHealthCall({ server: this.#server.name, tool }),
      onChecked: (isAlive, cause) => {
        this.#report({ type: 'health', isAlive, cause, isInSleepGrace: context.sleep.isInGrace });
        if (isAlive) context.onCheckPassed();
      },
      onFrozen: (cause) => this.#report({ type: 'frozen', cause, isInSleepGrace: context.sleep.isInGrace }),
      onVerdict: context.onHealth,
      // Further checks follow; those who requested the start do not wait for them.
      onStartCheck: (error) => {
        this.#lastError = error.message;
        this.#waiters.refuseStarts(error);
      },
      redact: context.policy.redact,
      onExceeded: (memoryBytes, limitBytes) => this.#memoryExceeded(memoryBytes, limitBytes),
      onUnused: () => this.#report({ type: 'unused' }),
    };
  }

  #memoryExceeded(memoryBytes: number, limitBytes: number): void {
    this.#context.onMemoryExceeded(memoryBytes, limitBytes);
    const cause = memoryExceededError(this.#server.name, memoryBytes, limitBytes);
    this.#report({ type: 'over-memory', cause, drainMs: this.#drainMs() });
  }

  #relisted(listing: ToolListing): void {
    if (this.state.phase !== 'ready' || !this.#session) return; // the end of the start announces the first list
    this.#report({ type: 'relisted', catalog: listing.completeness });
    this.#tools.remember(this.#session);
    this.#tools.announce();
  }
}

function checkOf({ health: { intervalMs, ...check } }: ServerPolicy): object {
  return check;
}
