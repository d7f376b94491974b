import type { ToolCallResult } from '@x/internal/contracts';
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

/** When to stop waiting. */
export interface WaitOptions {
  /** Ends the wait, not what is waited for; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One server by its name. The handle stays the same across restarts of the process behind it. It is a `ToolSource` of
 * `@x/mcp-registry` as it stands.
 */
export interface ManagedServer extends ManagedRequests {
  readonly name: string;
  /** Condition of the server: one word for people, as in `status.state`. */
  readonly state: ServerCondition;
  /** Step of the server's life, as in `status.phase`. */
  readonly phase: ServerState['phase'];
  /** The phase with its details: failures, the generation, the cause and the delay of a wait. */
  readonly lifecycle: ServerState;
  /**
   * Starts the server, whatever its spec says, and waits until it is ready. Joins a start that is under way.
   * @throws {ManagerError} `start-failed` with the failed step's error as `cause`, `auth-required`, `server-disabled`,
   * `server-stopping` when it was stopped meanwhile, or `closed`.
   */
  start(options?: WaitOptions): Promise<void>;
  /**
   * Stops the server and waits until no process of it is left. Calls that are under way have 10 s to finish, new ones are
   * not taken meanwhile. A later call to a server with `autoStart` wakes it again.
   */
  stop(): Promise<void>;
  /** Stops the server if it runs, like `stop`, and starts it with a clean history. Calls that come meanwhile wait. */
  restart(options?: WaitOptions): Promise<void>;
  /**
   * Signs the user in to a server that is reached by URL, with the manager's `auth`, and starts it anew. Resolves when
   * it is ready. Opens a page for the user and waits for them, as long as the `auth` says.
   * @throws {ManagerError} `auth-required` when the sign-in did not succeed, `unsupported` when there is none for this
   * server, and whatever `start` throws. Rejects with the signal's reason when that aborts.
   */
  authorize(options?: WaitOptions): Promise<void>;
  /** One health check as the spec says, right now. `false` when the server is not running. A miss restarts nothing. */
  checkHealth(options?: WaitOptions): Promise<boolean>;
  /**
   * The tools that are offered right now, as far as its spec allows them. Starts nothing and asks nobody. The same frozen
   * array until they change.
   */
  listTools(): readonly ServerTool[];
  /** Whether `listTools` answers with what the server has. `false`: it never listed its tools, or offers none while it is down. */
  readonly hasListed: boolean;
  /**
   * Asks the server for its tools; starts it if need be, whatever its spec says.
   * @throws {ManagerError} What `start` throws, `server-error` when not even one page of the list came, or `auth-required`
   * when that takes another sign-in.
   */
  discoverTools(options?: WaitOptions): Promise<readonly ServerTool[]>;
  /** What the server said of itself; starts it if need be, whatever its spec says. */
  capabilities(options?: WaitOptions): Promise<ServerCapabilities>;
  /** Who shares a connection, as its spec says. */
  readonly connections: 'shared' | 'per-caller';
  /** The handshake's outcome; `undefined` while the server is not ready. */
  readonly session: SessionFacts | undefined;
  /** What the server says of itself to models; `undefined` while it is not ready, or says nothing. */
  readonly instructions: string | undefined;
  /**
   * Calls one tool. Waits for the server to start if its spec allows that.
   *
   * @throws {TypeError} Names the option that is out of bounds, or the arguments cannot be written as JSON.
   * @throws {ManagerError} `unknown-tool`, `not-started`, `start-failed`, `auth-required`, `server-disabled`, `busy`, `unsupported`,
   * `connection-lost`, `outcome-unknown`, `timed-out`, `cancelled`, `server-stopping`, `server-error`, `input-refused`,
   * `invalid-result`, `result-too-large` or `closed`; its `retryable` says whether the same call may be made again. Rejects
   * with the signal's reason when that aborts.
   */
  callTool(tool: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolCallResult>;
  /** A call rejects as soon as its signal aborts, and leaves nothing on the signal: one may serve any number of calls. */
  readonly heedsSignals: true;
  /** Calls `listener` whenever `listTools` would answer differently, or `state` has changed. */
  onToolsChanged(listener: () => void): Disposable;
  /** The last lines that the server wrote to stderr, oldest first. At most 64 KiB. Untrusted text. */
  stderrTail(): readonly string[];
  readonly status: ServerStatus;
}

export interface ManagedServerContext {
  readonly server: ServerPolicy;
  readonly supervisor: Supervisor;
  readonly connections: CallerConnections;
  readonly signIn: SignIn;
  readonly subscriptions: ResourceSubscriptions;
  readonly lists: KnownLists;
  readonly onToolsChanged: (listener: () => void) => Disposable;
}

export function managedServer({
  server,
  supervisor,
  connections,
  signIn,
  subscriptions,
  lists,
  onToolsChanged,
}: ManagedServerContext): ManagedServer {
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
    get connections() {
      return supervisor.server.connections;
    },
    get session() {
      return supervisor.sessionFacts;
    },
    get instructions() {
      return supervisor.sessionFacts?.instructions;
    },
    get status() {
      return supervisor.status;
    },
    start: async (options) => {
      await supervisor.start(options);
    },
    stop: () => connections.stop(),
    restart: (options) => connections.restart(options),
    authorize: async (options) => {
      await signIn.run(supervisor.server, options);
      await connections.restart(options);
    },
    checkHealth: (options) => supervisor.checkHealth(options),
    heedsSignals: true,
    listTools: () => supervisor.tools,
    get hasListed() {
      return supervisor.hasListedTools;
    },
    discoverTools: async (options) => {
      await supervisor.start(options);
      return supervisor.refreshTools(options);
    },
    capabilities: async (options) => (await supervisor.start(options)).facts.capabilities,
    callTool: (tool, args = {}, options = {}) => connections.call(tool, args, options),
    onToolsChanged,
    stderrTail: () => supervisor.stderrTail(),
  };
}
