import { messageOf } from '@x/internal/errors';
import { isManagerError, ManagerError } from '../errors.js';
import { launchFingerprint, processFingerprint } from '../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { ServerTool, Session, SessionFacts, ToolListing } from '../session/session.js';
import type { ServerList } from '../session/session-listeners.js';
import type { Generation } from './generation/generation.js';
import { Generations } from './generation/generations.js';
import { MissingCommand } from './generation/missing-command.js';
import { failureIn } from './generation/refusal.js';
import { ReadyMonitor } from './health/ready-monitor.js';
import { ReadyWaiters } from './ready-waiters.js';
import { nextState } from './state/next-state.js';
import { maxHealthMisses, restartRules } from './state/restart-rules.js';
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
import type { SupervisorContext } from './supervisor-context.js';
import { KnownTools } from './tools/known-tools.js';
import { allowsTool } from './tools/tool-filter.js';

/** How long calls that are under way may take when their server is to go, in milliseconds. */
const drainMs = 10_000;

interface WaitLimit {
  readonly signal?: AbortSignal | undefined;
}

/** Keeps one server as it is wanted: the shell of `nextState`, which decides, around what it decides about. */
export class Supervisor {
  /** Called when the server is kept to another spec from then on. */
  onUpdated: () => void = () => undefined;
  readonly #context: SupervisorContext;
  readonly #loop: StateLoop;
  readonly #timers: StateTimers;
  readonly #waiters: ReadyWaiters = new ReadyWaiters(this);
  readonly #tools: KnownTools;
  readonly #watch: ReadyMonitor;
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
      // A server that only keeps its connection open proves nothing.
      if (report.type !== 'steady' || this.#watch.health.isWell) this.#report(report, generation);
    });
    this.#generations = new Generations(context, {
      report: (report, generation) => this.#report(report, generation),
      listTools: (session) => this.#tools.list(session),
      onListChanged: (list, session) => this.#listChanged(list, session),
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
    });
    this.#watch = new ReadyMonitor(server, context.sleep, {
      mayCall: (tool) => this.#mayCall(tool),
      onChecked: (isAlive, reason) => this.#healthChecked(isAlive, reason),
      onFrozen: (silentMs, reason) => this.#frozen(silentMs, reason),
      onVerdict: context.onHealth,
      onExceeded: (memoryBytes, limitBytes) => this.#outgrown(memoryBytes, limitBytes),
      onUnused: () => this.#report({ type: 'unused' }),
    });
  }

  /** The spec that the server is kept to now. */
  get server(): ServerPolicy {
    return this.#server;
  }

  get state(): ServerState {
    return this.#loop.state;
  }

  /** What the server offers as far as is known: nothing while it is down because of a failure. */
  get tools(): readonly ServerTool[] {
    return this.#tools.offered;
  }

  /** Whether `tools` says what the server has, be it nothing. */
  get hasListedTools(): boolean {
    return this.#tools.isListed;
  }

  /** What the server said in its handshake; `undefined` while it is not ready. */
  get sessionFacts(): SessionFacts | undefined {
    return this.state.phase === 'ready' ? this.#session?.facts : undefined;
  }

  get status(): ServerStatus {
    return statusOf(this, {
      generation: this.#generation,
      session: this.#session,
      generations: this.#generations,
      tools: this.#tools,
      watch: this.#watch,
      timers: this.#timers,
      lastError: this.#lastError,
    });
  }

  /** Why the server takes no calls now, for people; `undefined` while it does, and where no failure is known. */
  get whyNotReady(): string | undefined {
    return this.state.phase === 'ready' ? undefined : (failureIn(this.state) ?? this.#context.slots.shortage);
  }

  stderrTail(): readonly string[] {
    return this.#generation?.stderrTail() ?? [];
  }

  /** Whether the spec lets a tool of this name be seen and called. */
  allowsTool(tool: string): boolean {
    return allowsTool(this.#server, tool);
  }

  /** The session of a ready server, for a call that need not wait. `undefined` also while the server takes no new calls. */
  get readySession(): Session | undefined {
    return this.state.phase === 'ready' && this.#session?.isOpen ? this.#session : undefined;
  }

  /**
   * To be called when a call comes in, and `callEnded` once when it is settled: while one is on its way, be it queued or
   * sent, the server is not stopped for being unused. Wakes nothing; that is what `wanted` does.
   */
  callBegan(): void {
    this.#watch.demand.begin();
  }

  callEnded(): void {
    this.#watch.demand.end();
  }

  /** A request that was sent at `sentAtMs` reached its limit without a byte since, and no older one is under way. */
  unanswered(session: Session, sentAtMs: number): void {
    this.#watch.health.suspect(session, sentAtMs);
  }

  /**
   * The session for a call: starts the server if its spec allows that. While the server finishes the calls of a
   * generation that is to be replaced, this waits for the next one.
   */
  async wanted(limit: WaitLimit = {}): Promise<Session> {
    this.#watch.demand.touch();
    if (!this.#server.autoStart) return this.#waiters.wait(limit.signal);
    const isRepaired = this.state.phase === 'failed' && (await this.#missing.isThereAgain(this.#server));
    await this.#loop.ask({ type: 'wanted', isRepaired });
    return this.#waiters.wait(limit.signal);
  }

  /** The session of a server that is started now, whatever its spec says. Joins a start that is under way. */
  async start(limit: WaitLimit = {}): Promise<Session> {
    this.#watch.demand.touch();
    // A session can be over a moment before it is known why; nobody who wants the server has to wait for that.
    const isOver = this.state.phase === 'ready' && !this.#session?.isOpen;
    await this.#loop.ask(isOver ? { type: 'restart', drainMs: 0 } : { type: 'start' });
    return this.#waiters.wait(limit.signal);
  }

  /** Whether somebody has asked for a stop by now. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Starts the server without waiting for it; what becomes of it is told by its state. */
  begin(): void {
    this.#loop.give({ type: 'start' });
  }

  async restart(limit: WaitLimit = {}): Promise<Session> {
    await this.#loop.ask({ type: 'restart', drainMs: this.#drainMs() });
    return this.#waiters.wait(limit.signal);
  }

  /** Takes no new calls, lets those that are under way finish, and resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#wasStopped = true;
    await this.#loop.ask({ type: 'stop', drainMs: this.#drainMs() });
    await this.#generation?.gone();
  }

  /** Ends it for good: at once, or after the calls that are under way. */
  async close({ reason, calls }: { reason: CloseReason; calls: 'end' | 'finish' }): Promise<void> {
    await this.#loop.ask({ type: 'close', reason, drainMs: calls === 'finish' ? this.#drainMs() : 0 });
    if (reason === 'removed') this.#context.memory.forget(launchFingerprint(this.#server));
    await this.#generation?.gone();
  }

  /**
   * Keeps the server to another spec from now on. Only what is to be run another way is started anew, after the calls
   * that are under way. Resolves when nothing of the old way is left.
   */
  async update(server: ServerPolicy): Promise<void> {
    const previous = this.#server;
    const isRelaunch = processFingerprint(server) !== processFingerprint(previous);
    const isOtherLaunch = launchFingerprint(server) !== launchFingerprint(previous);
    this.#server = server;
    this.#watch.update(server);
    this.onUpdated();
    const generation = this.#generation;
    if (isRelaunch) await this.#loop.ask({ type: 'relaunch', drainMs: this.#drainMs() });
    if (isOtherLaunch) this.#context.memory.forget(launchFingerprint(previous));
    if (isOtherLaunch && !hasProcess(this.state)) this.#tools.recall();
    if (server.disabled && !previous.disabled) await this.#loop.ask({ type: 'disable', drainMs: this.#drainMs() });
    if (!server.disabled && previous.disabled) await this.#loop.ask({ type: 'enable' });
    // One that a person has stopped stays so, unless it is to be run in another way than what they have stopped.
    const isWanted = server.eager && (isRelaunch || !previous.eager || previous.disabled);
    if (isWanted && aimOf(this.state).phase === 'idle') this.begin();
    this.#tools.announce();
    if (isRelaunch || server.disabled) await generation?.gone();
  }

  /** One health check right now. `false` also when the server is not running. */
  async checkHealth(limit: WaitLimit = {}): Promise<boolean> {
    limit.signal?.throwIfAborted();
    return this.state.phase === 'ready' ? this.#watch.health.checkNow(limit) : false;
  }

  /**
   * Lists the tools anew.
   * @throws {ManagerError} `server-error` when not even one page came, `auth-required` when that takes another sign-in, or
   * how the connection ended meanwhile.
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

  /** How `session` ended: `server-stopping` when that was asked for, else `connection-lost`. Waits for the end. */
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
    this.#loop.give({ ...report, generation });
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
    // Whoever called after the session was over and before that was noticed came to a server that wakes on demand.
    if (hasLeft && this.#server.autoStart && this.#waiters.size > 0) this.#loop.give({ type: 'wanted' });
    else this.#waiters.tell(previous);
  }

  #enter(previous: ServerState, state: ServerState): void {
    const { generation } = state;
    this.#timers.enter(state);
    this.#missing.note(state, this.#server);
    if (previous.phase === 'ready') this.#watch.stop();
    if (!hasProcess(state) || state.phase === 'stopping') this.#tools.rest();
    if (state.phase === 'queued') this.#queue(generation);
    if (state.phase === 'starting') this.#generations.open(generation, this.#server);
    if (state.phase === 'stopping') void this.#generation?.stop();
    if (state.phase === 'ready' && this.#session) {
      this.#watch.start(this.#session, this.#generation?.pid);
      this.#tools.remember(this.#session);
    }
  }

  #queue(generation: number): void {
    this.#releaseSlot = this.#context.slots.request({
      priority: this.#server.priority,
      needsSlot: this.#server.target.type === 'stdio',
      isWaitedFor: () => this.#waiters.size > 0,
      onTurn: () => this.#report({ type: 'slot' }, generation),
    });
  }

  #listChanged(list: ServerList, session: Session | undefined): void {
    if (list === 'tools') this.#tools.invalidate(session);
    else this.#context.onListChanged(list);
  }

  /** An error of the host's decision counts as a refusal. */
  #mayCall(tool: string): boolean {
    try {
      return this.#context.policy.allowHealthCall({ server: this.#server.name, tool }) === true;
    } catch {
      return false;
    }
  }

  #healthChecked(isAlive: boolean, reason: unknown): void {
    const { name } = this.#server;
    const why = messageOf(reason);
    const message = `Server "${name}" failed ${maxHealthMisses} health checks in a row: ${why}`;
    const cause = new ManagerError('server-unresponsive', message, { server: name, cause: reason });
    this.#report({ type: 'health', isAlive, cause, isExcused: this.#context.sleep.isJustAwake });
  }

  #frozen(silentMs: number, reason: unknown): void {
    const { name } = this.#server;
    const message = `Server "${name}" answered neither its calls nor a health check for ${Math.round(silentMs / 1_000)} s`;
    const cause = new ManagerError('server-unresponsive', message, { server: name, cause: reason });
    this.#report({ type: 'frozen', cause, isExcused: this.#context.sleep.isJustAwake });
  }

  #outgrown(memoryBytes: number, limitBytes: number): void {
    const { name } = this.#server;
    this.#context.onMemoryExceeded(memoryBytes, limitBytes);
    const message = `Server "${name}" took ${mebibytes(memoryBytes)} of memory; its spec allows ${mebibytes(limitBytes)}`;
    const cause = new ManagerError('memory-exceeded', message, { server: name });
    this.#report({ type: 'outgrown', cause, drainMs: this.#drainMs() });
  }

  #relisted(listing: ToolListing): void {
    if (this.state.phase !== 'ready' || !this.#session) return; // the first list of a start is announced with its end
    this.#report({ type: 'relisted', catalog: listing.completeness });
    this.#tools.remember(this.#session);
    this.#tools.announce();
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
