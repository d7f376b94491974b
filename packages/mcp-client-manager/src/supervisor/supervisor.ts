import { isManagerError, ManagerError, type ManagerErrorCode } from '../errors.js';
import type { ManagerPolicy, ServerPolicy } from '../options.js';
import type { ServerTool, Session, SessionFacts, ToolListing } from '../session/session.js';
import { backoffDelayMs } from './backoff.js';
import { Connection, type ConnectionEnd, describeExit } from './connection.js';
import { HealthMonitor } from './health-monitor.js';
import { initialState, nextState, type RestartRules, type ServerInput, type ServerState } from './next-state.js';
import { offersTools } from './offers-tools.js';
import { ReadyWaiters } from './ready-waiters.js';
import { refusalOf, startRefusalOf } from './refusal.js';
import { ToolCatalog } from './tool-catalog.js';

/** Ready for so long, in milliseconds, a server has its failures forgotten. */
const stablePeriodMs = 120_000;
const maxHealthMisses = 3;
const noTools: readonly ServerTool[] = Object.freeze([]);

export interface SupervisorContext {
  readonly policy: ManagerPolicy;
  readonly owner: string;
  readonly onState: (previous: ServerState, state: ServerState) => void;
  readonly onToolsChanged: (tools: number) => void;
  readonly onStderrLine: (line: string) => void;
  /** Called for the first line of junk in each generation. */
  readonly onJunk: (text: string) => void;
}

interface SupervisorFacts {
  readonly pid: number | undefined;
  readonly uptimeMs: number | undefined;
  readonly restarts: number;
  readonly junkLines: number;
  readonly lastError: Error | undefined;
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  readonly catalogProblems: readonly string[];
}

interface WaitLimit {
  readonly signal?: AbortSignal | undefined;
}

/** Keeps one server as it is wanted: the shell of `nextState`, with the process, the timers and whoever waits. */
export class Supervisor {
  readonly #server: ServerPolicy;
  readonly #context: SupervisorContext;
  readonly #rules: RestartRules;
  readonly #waiters = new ReadyWaiters();
  readonly #catalog: ToolCatalog;
  readonly #health: HealthMonitor;
  /** How each session ended, for the calls that were in it. */
  readonly #losses = new WeakMap<Session, Promise<ManagerError>>();
  readonly #inputs: ServerInput[] = [];
  #isDispatching = false;
  #state: ServerState = initialState;
  #connection: Connection | undefined;
  #session: Session | undefined;
  #announced: readonly ServerTool[] = noTools;
  #timer: NodeJS.Timeout | undefined;
  #readySince: number | undefined;
  #restarts = 0;
  #junkLines = 0;
  #lastError: Error | undefined;

  constructor(server: ServerPolicy, context: SupervisorContext) {
    this.#server = server;
    this.#context = context;
    this.#rules = {
      restartOnFailure: server.restartOnFailure,
      maxRestartAttempts: server.maxRestartAttempts,
      maxHealthMisses,
      delayMs: (failures) => backoffDelayMs(failures, Math.random()),
    };
    this.#catalog = new ToolCatalog({
      timeoutMs: server.startupTimeoutMs,
      onListed: (listing) => this.#relisted(listing),
    });
    this.#health = new HealthMonitor(server, {
      onChecked: (isAlive, cause) => this.#healthChecked(isAlive, cause),
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** What the server offers as far as is known: nothing while it is down because of a failure. */
  get tools(): readonly ServerTool[] {
    return offersTools(this.#state, this.#server) ? this.#catalog.tools : noTools;
  }

  /** What the server said in its handshake; `undefined` while it is not ready. */
  get sessionFacts(): SessionFacts | undefined {
    return this.#state.phase === 'ready' ? this.#session?.facts : undefined;
  }

  get facts(): SupervisorFacts {
    const { phase } = this.#state;
    const hasProcess = phase === 'starting' || phase === 'ready' || phase === 'stopping';
    return {
      pid: hasProcess ? this.#connection?.pid : undefined,
      uptimeMs: this.#readySince === undefined ? undefined : Math.round(performance.now() - this.#readySince),
      restarts: this.#restarts,
      junkLines: this.#junkLines,
      lastError: this.#lastError,
      health: this.#health.verdict,
      catalogProblems: this.#catalog.problems,
    };
  }

  stderrTail(): readonly string[] {
    return this.#connection?.stderrTail() ?? [];
  }

  /** The session for a call: starts the server if its spec allows that. */
  async wanted(limit: WaitLimit = {}): Promise<Session> {
    if (this.#server.autoStart) await this.#ask({ type: 'wanted' });
    return this.#ready(limit);
  }

  /** The session of a server that is started now, whatever its spec says. Joins a start that is under way. */
  async start(limit: WaitLimit = {}): Promise<Session> {
    // A session can be over a moment before it is known why; nobody who wants the server has to wait for that.
    const isOver = this.#state.phase === 'ready' && !this.#session?.isOpen;
    await this.#ask({ type: isOver ? 'restart' : 'start' });
    return this.#ready(limit);
  }

  async restart(limit: WaitLimit = {}): Promise<Session> {
    await this.#ask({ type: 'restart' });
    return this.#ready(limit);
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    await this.#ask({ type: 'stop' });
    await this.#connection?.stop();
  }

  async close(): Promise<void> {
    await this.#ask({ type: 'close' });
    await this.#connection?.stop();
  }

  /** One health check right now. `false` also when the server is not running. */
  async checkHealth(limit: WaitLimit = {}): Promise<boolean> {
    limit.signal?.throwIfAborted();
    return this.#state.phase === 'ready' ? this.#health.checkNow(limit) : false;
  }

  /**
   * Lists the tools anew.
   * @throws {ManagerError} `server-error` when not even one page came, or how the connection ended meanwhile.
   */
  async refreshTools(limit: WaitLimit = {}): Promise<readonly ServerTool[]> {
    const session = await this.#ready(limit);
    const { completeness, problems } = await this.#catalog.refresh(session, limit);
    if (completeness !== 'unavailable') return this.#catalog.tools;
    if (!session.isOpen) throw await this.lossOf(session);
    const { name } = this.#server;
    const message = `Server "${name}" did not list its tools: ${problems.join('; ')}`;
    throw new ManagerError('server-error', message, { server: name });
  }

  /** How `session` ended: `server-stopping` when that was asked for, else `connection-lost`. Waits for the end. */
  lossOf(session: Session): Promise<ManagerError> {
    return this.#losses.get(session) ?? session.closed.then(() => this.#lossError({ exit: undefined, isAsked: false }));
  }

  /** Makes `input` happen before it resolves, also when a listener asks while a change is being told. */
  async #ask(input: ServerInput): Promise<void> {
    this.#dispatch(input);
    if (this.#isDispatching) await undefined;
  }

  /** The session of a ready server. Waits for a start that is under way; begins none. */
  #ready({ signal }: WaitLimit): Promise<Session> {
    if (this.#state.phase === 'ready' && this.#session?.isOpen) return Promise.resolve(this.#session);
    const refusal = refusalOf(this.#state, { ...this.#server, isWaiting: false });
    return refusal ? Promise.reject(refusal) : this.#waiters.wait(signal);
  }

  /** One input after the other: what a listener or an effect causes waits until the present one is done. */
  #dispatch(input: ServerInput): void {
    this.#inputs.push(input);
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    try {
      for (let next = this.#inputs.shift(); next; next = this.#inputs.shift()) this.#apply(next);
    } finally {
      this.#isDispatching = false;
    }
  }

  #apply(input: ServerInput): void {
    const previous = this.#state;
    const state = nextState(previous, input, this.#rules);
    if (state === previous) return;
    this.#state = state;
    this.#lastError = failureIn(state) ?? this.#lastError;
    this.#leave(previous, state);
    this.#enter(previous, state);
    this.#context.onState(previous, state);
    this.#announceTools();
    const hasLeft = input.type === 'lost' && input.kind === 'clean';
    // Whoever called after the session was over and before that was noticed came to a server that wakes on demand.
    if (hasLeft && this.#server.autoStart && this.#waiters.size > 0) this.#dispatch({ type: 'wanted' });
    else this.#tellWaiters(previous, state);
  }

  #leave(previous: ServerState, state: ServerState): void {
    if (previous.phase === state.phase) return;
    clearTimeout(this.#timer);
    if (previous.phase !== 'ready') return;
    this.#health.stop();
    this.#readySince = undefined;
  }

  #enter(previous: ServerState, state: ServerState): void {
    const { generation } = state;
    if (state.phase === 'starting' && generation !== previous.generation) void this.#open(generation);
    if (previous.phase === state.phase) return;
    if (state.phase === 'stopping') void this.#stopConnection(generation);
    if (state.phase === 'backoff') this.#later(state.delayMs, { type: 'delay-over', generation });
    if (state.phase !== 'ready' || !this.#session) return;
    this.#readySince = performance.now();
    this.#health.start(this.#session);
    this.#later(stablePeriodMs, { type: 'settled', generation });
  }

  #later(delayMs: number, input: ServerInput): void {
    this.#timer = setTimeout(() => this.#dispatch(input), delayMs);
    if (input.type === 'settled') this.#timer.unref(); // only a memory; it must not keep the host alive
  }

  async #open(generation: number): Promise<void> {
    if (generation > 1) this.#restarts += 1;
    const connection = new Connection(this.#server, {
      policy: this.#context.policy,
      owner: this.#context.owner,
      onStep: (step) => this.#dispatch({ type: 'step', generation, step }),
      onStderrLine: this.#context.onStderrLine,
      onJunk: this.#junkListener(),
      onToolsChanged: () => this.#catalog.invalidate(this.#session),
    });
    this.#connection = connection;
    try {
      const session = await connection.open();
      this.#session = session;
      this.#losses.set(
        session,
        connection.ended(session).then((end) => this.#lost(generation, end)),
      );
      this.#dispatch({ type: 'step', generation, step: 'tools' });
      const listing = await this.#catalog.refresh(session);
      if (!session.isOpen) return; // how it ended is told in a moment
      this.#dispatch({ type: 'ready', generation, catalog: listing.completeness });
    } catch (error) {
      this.#dispatch({ type: 'lost', generation, kind: isPermanent(error) ? 'permanent' : 'transient', cause: error });
    }
  }

  #lost(generation: number, end: ConnectionEnd): ManagerError {
    const cause = this.#lossError(end);
    const kind = end.exit?.code === 0 && this.#state.phase === 'ready' ? 'clean' : 'transient';
    this.#dispatch({ type: 'lost', generation, kind, cause });
    return cause;
  }

  #lossError({ exit, isAsked }: ConnectionEnd): ManagerError {
    const { name } = this.#server;
    const options = { server: name, stderrTail: this.stderrTail() };
    if (isAsked) return new ManagerError('server-stopping', `Server "${name}" was stopped`, options);
    const what = exit ? `exited (${describeExit(exit)})` : 'closed the connection';
    return new ManagerError('connection-lost', `Server "${name}" ${what}`, options);
  }

  async #stopConnection(generation: number): Promise<void> {
    try {
      await this.#connection?.stop();
    } catch (cause) {
      this.#session = undefined;
      this.#dispatch({ type: 'stuck', generation, cause });
      return;
    }
    this.#session = undefined;
    this.#dispatch({ type: 'stopped', generation });
  }

  #healthChecked(isAlive: boolean, reason: unknown): void {
    const { name } = this.#server;
    const { generation } = this.#state;
    const why = reason instanceof Error ? reason.message : String(reason);
    const message = `Server "${name}" failed ${maxHealthMisses} health checks in a row: ${why}`;
    const cause = new ManagerError('server-unresponsive', message, { server: name, cause: reason });
    this.#dispatch({ type: 'health', generation, isAlive, cause });
  }

  #relisted(listing: ToolListing): void {
    const { phase, generation } = this.#state;
    if (phase !== 'ready') return; // the first list of a start is announced with its end
    this.#dispatch({ type: 'relisted', generation, catalog: listing.completeness });
    this.#announceTools();
  }

  #announceTools(): void {
    const { tools } = this;
    if (tools === this.#announced) return;
    const isChange = tools.length + this.#announced.length > 0;
    this.#announced = tools;
    if (isChange) this.#context.onToolsChanged(tools.length);
  }

  #junkListener(): (text: string) => void {
    let isTold = false;
    return (text) => {
      this.#junkLines += 1;
      if (isTold) return;
      isTold = true;
      this.#context.onJunk(text);
    };
  }

  #tellWaiters(previous: ServerState, state: ServerState): void {
    if (state.phase === 'ready' && this.#session?.isOpen) {
      this.#waiters.resolve(this.#session);
      return;
    }
    const hasStartFailed = previous.phase === 'starting' && state.phase === 'stopping';
    const context = { ...this.#server, isWaiting: true };
    const refusal = hasStartFailed ? startRefusalOf(state, context) : refusalOf(state, context);
    if (refusal) this.#waiters.reject(refusal);
  }
}

const permanentCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
  'unsupported-protocol',
]);

function isPermanent(error: unknown): boolean {
  return isManagerError(error) && permanentCodes.has(error.code);
}

/** The failure that brought a server into this state, if one did. */
function failureIn(state: ServerState): Error | undefined {
  const next = state.phase === 'stopping' ? state.then : state;
  if (!('cause' in next)) return undefined;
  return next.cause instanceof Error ? next.cause : new Error(String(next.cause));
}
