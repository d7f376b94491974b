import { isManagerError, ManagerError, type ManagerErrorCode } from '../errors.js';
import type { ManagerPolicy, ServerPolicy } from '../options.js';
import type { ToolListing } from '../session/list-tools.js';
import type { ServerTool, Session, SessionFacts } from '../session/session.js';
import { backoffDelayMs } from './backoff.js';
import { Connection, type ConnectionEnd, describeExit } from './connection.js';
import { HealthMonitor } from './health-monitor.js';
import {
  initialState,
  type LossKind,
  nextState,
  type RestartRules,
  type ServerInput,
  type ServerState,
} from './next-state.js';
import { ReadyWaiters } from './ready-waiters.js';
import { ToolCatalog } from './tool-catalog.js';

/** Ready for so long, in milliseconds, a server has its failures forgotten. */
const stablePeriodMs = 120_000;
const maxHealthMisses = 3;
const noTools: readonly ServerTool[] = [];

export interface SupervisorContext {
  readonly policy: ManagerPolicy;
  readonly owner: string;
  readonly onState: (previous: ServerState, state: ServerState) => void;
  readonly onToolsChanged: (tools: number) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onJunk: (text: string) => void;
}

/** Keeps one server as it is wanted: the shell of `nextState`, with the process, the timers and whoever waits. */
export class Supervisor {
  readonly #server: ServerPolicy;
  readonly #context: SupervisorContext;
  readonly #rules: RestartRules;
  readonly #waiters = new ReadyWaiters();
  readonly #catalog: ToolCatalog;
  readonly #health: HealthMonitor;
  #state: ServerState = initialState;
  #connection: Connection | undefined;
  #session: Session | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt: number | undefined;
  #restarts = 0;
  #junkLines = 0;
  #lastError: Error | undefined;
  readonly #inputs: ServerInput[] = [];
  #isDispatching = false;

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
      onChecked: (isAlive, cause) =>
        this.#dispatch({ type: 'health', generation: this.#state.generation, isAlive, cause }),
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
    const uptimeMs = this.#startedAt === undefined ? undefined : Math.round(performance.now() - this.#startedAt);
    return {
      pid: this.#connection?.pid,
      uptimeMs,
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

  /** The session of a ready server. Waits for a start that is under way; begins none. */
  ready({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<Session> {
    // A session can be over before its supervisor knows why; the next one is waited for then.
    if (this.#state.phase === 'ready' && this.#session?.isOpen) return Promise.resolve(this.#session);
    const refusal = this.#refusal();
    return refusal ? Promise.reject(refusal) : this.#waiters.wait(signal);
  }

  /** The session for a call: starts the server if its spec allows that. */
  async wanted(options: { signal?: AbortSignal | undefined } = {}): Promise<Session> {
    if (this.#server.autoStart) this.#dispatch({ type: 'wanted' });
    return this.ready(options);
  }

  async start(options: { signal?: AbortSignal | undefined } = {}): Promise<Session> {
    this.#dispatch({ type: 'start' });
    return this.ready(options);
  }

  async restart(options: { signal?: AbortSignal | undefined } = {}): Promise<Session> {
    this.#dispatch({ type: 'restart' });
    return this.ready(options);
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#dispatch({ type: 'stop' });
    await this.#connection?.stop();
  }

  async close(): Promise<void> {
    this.#dispatch({ type: 'close' });
    await this.#connection?.stop();
  }

  /** One health check right now. `false` also when the server is not running. */
  async checkHealth(options: { signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    const session = this.#state.phase === 'ready' ? this.#session : undefined;
    return session ? this.#health.checkNow(session, options) : false;
  }

  /** Lists the tools anew. */
  async refreshTools({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<readonly ServerTool[]> {
    const session = await this.ready({ signal });
    await this.#catalog.refresh(session, { signal });
    return this.#catalog.tools;
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
    const toolsBefore = this.tools;
    this.#state = state;
    this.#leave(previous, state);
    this.#enter(previous, state);
    this.#context.onState(previous, state);
    if (this.tools !== toolsBefore && this.tools.length + toolsBefore.length > 0) {
      this.#context.onToolsChanged(this.tools.length);
    }
    this.#tellWaiters(previous, state);
  }

  #leave(previous: ServerState, state: ServerState): void {
    if (previous.phase === state.phase) return;
    clearTimeout(this.#timer);
    if (previous.phase !== 'ready') return;
    this.#health.stop();
    this.#startedAt = undefined;
  }

  #enter(previous: ServerState, state: ServerState): void {
    const { generation } = state;
    if (state.phase === 'starting' && generation !== previous.generation) void this.#open(generation);
    if (previous.phase === state.phase) return;
    if (state.phase === 'stopping') void this.#stopConnection(generation);
    if (state.phase === 'backoff') this.#later(state.delayMs, { type: 'delay-over', generation });
    if (state.phase === 'ready') this.#later(stablePeriodMs, { type: 'settled', generation });
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
      onJunk: (text) => this.#junk(text),
      onToolsChanged: () => this.#catalog.invalidate(this.#session),
    });
    this.#connection = connection;
    try {
      const session = await connection.open();
      this.#session = session;
      void connection.ended(session).then((end) => this.#lost(generation, end));
      this.#dispatch({ type: 'step', generation, step: 'tools' });
      const listing = await this.#catalog.refresh(session);
      if (generation !== this.#state.generation) return;
      this.#startedAt = performance.now();
      this.#dispatch({ type: 'ready', generation, catalog: listing.completeness });
      if (this.#state.phase === 'ready') this.#health.start(session);
    } catch (error) {
      this.#failed(generation, asError(error));
    }
  }

  #lost(generation: number, { exit }: ConnectionEnd): void {
    const { name } = this.#server;
    const what = exit ? `exited (${describeExit(exit)})` : 'closed the connection';
    const kind: LossKind = exit?.code === 0 && this.#state.phase === 'ready' ? 'clean' : 'transient';
    const cause = new ManagerError('connection-lost', `Server "${name}" ${what}`, {
      server: name,
      stderrTail: this.stderrTail(),
    });
    if (generation === this.#state.generation && kind !== 'clean') this.#lastError = cause;
    this.#dispatch({ type: 'lost', generation, kind, cause });
  }

  #failed(generation: number, cause: Error): void {
    if (generation !== this.#state.generation || this.#state.phase !== 'starting') return;
    this.#lastError = cause;
    this.#dispatch({ type: 'lost', generation, kind: isPermanent(cause) ? 'permanent' : 'transient', cause });
  }

  async #stopConnection(generation: number): Promise<void> {
    try {
      await this.#connection?.stop();
    } catch (error) {
      this.#lastError = asError(error); // a process stuck in the kernel: told in the status, and given up
    }
    this.#session = undefined;
    this.#dispatch({ type: 'stopped', generation });
  }

  #relisted(listing: ToolListing): void {
    if (this.#state.phase !== 'ready') return;
    this.#dispatch({ type: 'relisted', generation: this.#state.generation, catalog: listing.completeness });
    this.#context.onToolsChanged(this.tools.length);
  }

  #junk(text: string): void {
    this.#junkLines += 1;
    this.#context.onJunk(text);
  }

  #tellWaiters(previous: ServerState, state: ServerState): void {
    if (state.phase === 'ready' && this.#session) {
      this.#waiters.resolve(this.#session);
      return;
    }
    const hasStartFailed =
      previous.phase === 'starting' && state.phase === 'stopping' && state.then.phase !== 'starting';
    const refusal = hasStartFailed ? this.#startError() : this.#refusal();
    if (refusal) this.#waiters.reject(refusal);
  }

  /** Why nobody needs to wait in the present state, if so. */
  #refusal(): ManagerError | undefined {
    const { name } = this.#server;
    const { phase } = this.#state.phase === 'stopping' ? this.#state.then : this.#state;
    switch (phase) {
      case 'closed':
        return new ManagerError('closed', `Server "${name}" cannot be used: the client manager is closed`, {
          server: name,
        });
      case 'failed':
      case 'parked':
        return this.#startError();
      case 'idle':
        return new ManagerError(
          this.#server.autoStart ? 'server-stopping' : 'not-started',
          this.#server.autoStart
            ? `Server "${name}" was stopped while the call waited for it`
            : `Server "${name}" is not running and may not start by itself ("auto_start" is false). Start it first, or allow it to start when it is wanted.`,
          { server: name },
        );
      default:
        return undefined;
    }
  }

  #startError(): ManagerError {
    const { name } = this.#server;
    const { phase } = this.#state.phase === 'stopping' ? this.#state.then : this.#state;
    if (phase === 'idle' || phase === 'closed') return this.#refusal() as ManagerError;
    const cause = this.#lastError;
    const next =
      phase === 'backoff' ? 'It is tried again in a moment.' : 'It is not tried again until it is started by hand.';
    const reason = cause?.message ?? `Server "${name}" could not be started.`;
    return new ManagerError('start-failed', `${reason} ${next}`, {
      server: name,
      stderrTail: isManagerError(cause) ? cause.stderrTail : [],
      cause,
    });
  }
}

export interface SupervisorFacts {
  readonly pid: number | undefined;
  readonly uptimeMs: number | undefined;
  readonly restarts: number;
  readonly junkLines: number;
  readonly lastError: Error | undefined;
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  readonly catalogProblems: readonly string[];
}

/** A server that rests on purpose and wakes when it is called still offers its tools; one that fell does not. */
function offersTools(state: ServerState, { autoStart }: Pick<ServerPolicy, 'autoStart'>): boolean {
  switch (state.phase) {
    case 'ready':
      return true;
    case 'idle':
      return autoStart;
    case 'starting':
      return state.after === 'rest';
    case 'stopping':
      return offersTools(state.then, { autoStart });
    default:
      return false;
  }
}

const permanentCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
  'unsupported-protocol',
]);

function isPermanent(error: Error): boolean {
  return isManagerError(error) && permanentCodes.has(error.code);
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
