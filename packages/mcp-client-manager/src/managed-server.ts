import type { ServerPolicy } from './options.js';
import { type CallOptions, routeCall } from './routing/call-tool.js';
import type { ServerCapabilities, ServerTool, SessionFacts, ToolCallResult } from './session/session.js';
import { conditionOf, type ServerCondition } from './supervisor/condition.js';
import type { ServerState } from './supervisor/next-state.js';
import type { Supervisor } from './supervisor/supervisor.js';

export interface WaitOptions {
  /** Ends the wait, not what is waited for; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One server by its name. The handle stays the same across restarts of the process behind it. It is a `ToolSource` of
 * `@x/mcp-registry` as it stands.
 */
export interface ManagedServer {
  readonly name: string;
  /** What a person is told: one word. */
  readonly state: ServerCondition;
  /** The supervisor's state with all it knows. */
  readonly phase: ServerState;
  /**
   * Starts the server, whatever its spec says, and waits until it is ready. Joins a start that is under way.
   * @throws {ManagerError} `start-failed` with the failed step's error as `cause`, or `closed`.
   */
  start(options?: WaitOptions): Promise<void>;
  /** Stops the server and waits until no process of it is left. A call to a server with `autoStart` wakes it again. */
  stop(): Promise<void>;
  /** Stops the server if it runs, and starts it with a clean history. */
  restart(options?: WaitOptions): Promise<void>;
  /** One health check as the spec says, right now. `false` when the server is not running. */
  checkHealth(options?: WaitOptions): Promise<boolean>;
  /** The tools that are known right now. Starts nothing and asks nobody. The same frozen array until they change. */
  listTools(): readonly ServerTool[];
  /**
   * Asks the server for its tools; starts it if need be, whatever its spec says.
   * @throws {ManagerError} `start-failed`, or `server-error` when not even one page of the list came.
   */
  discoverTools(options?: WaitOptions): Promise<readonly ServerTool[]>;
  /** What the server said of itself; starts it if need be, whatever its spec says. */
  capabilities(options?: WaitOptions): Promise<ServerCapabilities>;
  /** The handshake's outcome; `undefined` while the server is not ready. */
  readonly session: SessionFacts | undefined;
  /** Calls one tool. Waits for the server to start if its spec allows that. See `routeCall` for the errors. */
  callTool(tool: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolCallResult>;
  /** Calls `listener` whenever `listTools` would answer differently, or `state` has changed. */
  onToolsChanged(listener: () => void): Disposable;
  /** The last lines that the server wrote to stderr, oldest first. At most 64 KiB. Untrusted text. */
  stderrTail(): readonly string[];
  readonly status: ServerStatus;
}

/** A row of the status table. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerCondition;
  readonly phase: ServerState['phase'];
  /** What the last health check said. `unknown` before the first one and while the server is not running. */
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  readonly autoStart: boolean;
  readonly transport: 'stdio' | 'http';
  /** Tools that are known; 0 before the server was ever ready. */
  readonly tools: number;
  readonly pid?: number | undefined;
  readonly uptimeMs?: number | undefined;
  /** Starts after the first one. */
  readonly restarts: number;
  readonly protocolVersion?: string | undefined;
  /** Lines on stdout that were no message. */
  readonly junkLines: number;
  /** What was wrong with the list of tools. Empty when all was well. */
  readonly catalogProblems: readonly string[];
  /** The last failure, for people; not cleared by a later success. */
  readonly lastError?: string | undefined;
}

export interface ManagedServerContext {
  readonly server: ServerPolicy;
  readonly supervisor: Supervisor;
  readonly callTimeoutMs: number;
  readonly onToolsChanged: (listener: () => void) => Disposable;
}

export function managedServer({
  server,
  supervisor,
  callTimeoutMs,
  onToolsChanged,
}: ManagedServerContext): ManagedServer {
  const { name } = server;
  return {
    name,
    get state() {
      return conditionOf(supervisor.state);
    },
    get phase() {
      return supervisor.state;
    },
    get session() {
      return supervisor.sessionFacts;
    },
    get status() {
      return statusOf(server, supervisor);
    },
    start: async (options) => {
      await supervisor.start(options);
    },
    stop: () => supervisor.stop(),
    restart: async (options) => {
      await supervisor.restart(options);
    },
    checkHealth: (options) => supervisor.checkHealth(options),
    listTools: () => supervisor.tools,
    discoverTools: async (options) => {
      await supervisor.start(options);
      return supervisor.refreshTools(options);
    },
    capabilities: async (options) => (await supervisor.start(options)).facts.capabilities,
    callTool: (tool, args = {}, { timeoutMs = callTimeoutMs, ...options } = {}) =>
      routeCall(supervisor, { server: name, tool, args, timeoutMs, ...options }),
    onToolsChanged,
    stderrTail: () => supervisor.stderrTail(),
  };
}

function statusOf({ name, autoStart, target }: ServerPolicy, supervisor: Supervisor): ServerStatus {
  const { lastError, ...facts } = supervisor.facts;
  return {
    name,
    state: conditionOf(supervisor.state),
    phase: supervisor.state.phase,
    autoStart,
    transport: target.type,
    tools: supervisor.tools.length,
    protocolVersion: supervisor.sessionFacts?.protocolVersion,
    lastError: lastError?.message,
    ...facts,
  };
}
