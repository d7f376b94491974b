import type { ToolCallResult, ToolOverrides } from '@x/internal/contracts';
import { optionTable, signalOptions } from '@x/internal/options';
import type { KnownLists } from '../catalog-cache/known-lists.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { CallOptions } from '../routing/call-options.js';
import type { ResourceSubscriptions } from '../routing/resource-subscriptions.js';
import type { ServerCapabilities, ServerTool, SessionFacts } from '../session/session.js';
import { conditionOf, type ServerCondition } from '../supervisor/state/condition.js';
import type { ServerState } from '../supervisor/state/server-state.js';
import type { ServerStatus } from '../supervisor/state/server-status.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import type { CallerConnections } from './caller-connections.js';
import type { ManagedRequests } from './managed-requests.js';
import { managedRequests } from './route-managed-requests.js';
import type { SignIn } from './sign-in.js';

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait, not the operation; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a stop. */
export interface StopOptions {
  /**
   * Kills the server's processes at once instead of waiting for calls in progress and for the server to leave. Calls that were sent fail with
   * `outcome-unknown`. Default `false`.
   */
  readonly force?: boolean | undefined;
}

export const stopOptions = optionTable<StopOptions>()({ force: { kind: 'flag', default: false } });

/** One server by name. The handle outlives restarts, and is a `ToolSource` of `@x/mcp-registry`. */
export interface ManagedServer extends ManagedRequests {
  readonly name: string;
  /** One word for people, as in `status.state`. */
  readonly state: ServerCondition;
  /** Step of the server's life, as in `status.phase`. */
  readonly phase: ServerState['phase'];
  /** The phase with its details, such as the cause and delay of a wait. */
  readonly lifecycle: ServerState;
  /** As in `status.lastError`. */
  readonly lastError: string | undefined;
  /**
   * Starts the server even with `autoStart: false`, and waits until it is ready. Joins a start in progress.
   *
   * @throws {ManagerError} `start-failed` with the error as `cause`, `auth-required`, `server-disabled`,
   *   `server-stopping` when it was stopped meanwhile, or `closed`.
   */
  start(options?: WaitOptions): Promise<void>;
  /**
   * Stops the server and waits until all its processes have ended. Calls in progress have 10 s to finish; new calls are
   * refused. With `autoStart`, a later call starts the server again.
   *
   * @throws {TypeError} Names a misspelt option.
   */
  stop(options?: StopOptions): Promise<void>;
  /** Stops a running server, like `stop`, and starts it with a clean history. Calls that arrive meanwhile wait. */
  restart(options?: WaitOptions): Promise<void>;
  /**
   * Signs the user in to an HTTP server with the manager's `auth`, restarts the server and waits until it is ready.
   * Opens a page for the user and waits for as long as `auth` allows.
   *
   * @throws {ManagerError} `auth-required` when the sign-in failed, `unsupported` when the server has none, and the
   *   errors of `start`. Rejects with the signal's reason when that aborts.
   */
  authorize(options?: WaitOptions): Promise<void>;
  /** Runs one health check now. `false` when the server is not running. A failure does not restart the server. */
  checkHealth(options?: WaitOptions): Promise<boolean>;
  /**
   * The offered tools that the spec allows, without a request or a start. Returns the same frozen array until they
   * change.
   */
  listTools(): readonly ServerTool[];
  /** The tools of the last list that the spec allows, even while none are offered, such as after a failure. */
  knownTools(): readonly ServerTool[];
  /** True if the server has listed its tools, in this process or an earlier one. */
  readonly hasListed: boolean;
  /**
   * Requests the tools from the server, and starts it if necessary, even with `autoStart: false`.
   *
   * @throws {ManagerError} The errors of `start`, `server-error` when no page of the list arrived, or `auth-required`
   *   when the list requires another sign-in.
   */
  discoverTools(options?: WaitOptions): Promise<readonly ServerTool[]>;
  /** Capabilities from the handshake. Starts the server if necessary, even with `autoStart: false`. */
  capabilities(options?: WaitOptions): Promise<ServerCapabilities>;
  /** `connections` of the spec. */
  readonly connections: 'shared' | 'per-caller';
  /** Outcome of the handshake; `undefined` while the server is not ready. */
  readonly session: SessionFacts | undefined;
  /**
   * Era in which requests of clients of `era` are sent now, see `CallHandler.era`. `undefined` while the server is not
   * ready.
   */
  eraFor(era: 'legacy' | 'modern'): 'legacy' | 'modern' | undefined;
  /** The server's instructions for models, while it is down those of its last session. `undefined` without any. */
  readonly instructions: string | undefined;
  /** `tools` of the spec. */
  readonly toolOverrides: ToolOverrides | undefined;
  /**
   * Calls one tool. Waits for the server's start if its spec allows one.
   *
   * @throws {TypeError} Names the option that is out of bounds, or reports arguments that cannot be written as JSON.
   * @throws {ManagerError} `unknown-tool`, `not-started`, `start-failed`, `auth-required`, `server-disabled`, `busy`,
   *   `unsupported`, `connection-lost`, `outcome-unknown`, `timed-out`, `cancelled`, `server-stopping`, `server-error`,
   *   `input-refused`, `invalid-result`, `result-too-large` or `closed`; `retryable` says whether to repeat the call.
   *   Rejects with the signal's reason when that aborts.
   */
  callTool(tool: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolCallResult>;
  /** Calls reject as soon as their signal aborts, and leave no listener on it. */
  readonly heedsSignals: true;
  /** Calls `listener` when the result of `listTools` or the `state` changes. */
  onToolsChanged(listener: () => void): Disposable;
  /** The last stderr lines, oldest first, at most 64 KiB. Untrusted. */
  stderrTail(): readonly string[];
  readonly status: ServerStatus;
}

/** Calls on the second session count as queued for the first. */
function withLegacyCalls(status: ServerStatus, calls: number): ServerStatus {
  if (calls === 0) return status;
  const { callsInFlight, callsQueued } = status;
  return { ...status, callsInFlight: callsInFlight + calls, callsQueued: Math.max(callsQueued - calls, 0) };
}

interface ManagedServerContext {
  readonly server: ServerPolicy;
  readonly supervisor: Supervisor;
  readonly connections: CallerConnections;
  readonly signIn: SignIn;
  readonly subscriptions: ResourceSubscriptions;
  readonly lists: KnownLists;
  readonly onToolsChanged: (listener: () => void) => Disposable;
}

export function managedServer(context: ManagedServerContext): ManagedServer {
  const { server, supervisor, connections, signIn, subscriptions, lists, onToolsChanged } = context;
  const { name } = server;
  return {
    ...managedRequests({ name, supervisor, connections, subscriptions, lists }),
    name,
    get state() {
      return conditionOf(supervisor.state);
    },
    get phase() {
      return supervisor.state.phase;
    },
    get lifecycle() {
      return supervisor.state;
    },
    get lastError() {
      return supervisor.status.lastError;
    },
    get connections() {
      return supervisor.server.connections;
    },
    get session() {
      return supervisor.sessionFacts;
    },
    get toolOverrides() {
      return supervisor.server.tools;
    },
    get instructions() {
      return supervisor.instructions;
    },
    get status() {
      return withLegacyCalls(supervisor.status, connections.shared.eras.legacyCalls);
    },
    eraFor: (era) => connections.shared.eras.eraFor(era),
    start: async (options) => {
      await supervisor.start(signalOptions.read(options));
    },
    stop: async (options) => connections.stop(stopOptions.read(options)),
    restart: async (options) => connections.restart(signalOptions.read(options)),
    authorize: async (options) => {
      const limit = signalOptions.read(options);
      await signIn.run(supervisor.server, limit);
      await connections.restart(limit);
    },
    checkHealth: async (options) => supervisor.checkHealth(signalOptions.read(options)),
    heedsSignals: true,
    listTools: () => supervisor.tools,
    knownTools: () => supervisor.knownTools,
    get hasListed() {
      return supervisor.hasListedTools;
    },
    discoverTools: async (options) => {
      const limit = signalOptions.read(options);
      await supervisor.start(limit);
      return supervisor.refreshTools(limit);
    },
    capabilities: async (options) => (await supervisor.start(signalOptions.read(options))).facts.capabilities,
    callTool: (tool, args = {}, options = {}) => connections.call(tool, args, options),
    onToolsChanged,
    stderrTail: () => supervisor.stderrTail(),
  };
}
