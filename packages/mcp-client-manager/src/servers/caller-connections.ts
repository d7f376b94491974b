import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../errors.js';
import type { ServerPolicy } from '../resolve-spec.js';
import { type CallOptions, queueKeyOf } from '../routing/call-options.js';
import type { RequestRouter } from '../routing/request-router.js';
import type { ServerLogEntry } from '../session/session-listeners.js';
import type { CloseReason, ServerState } from '../supervisor/state/server-state.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import type { EraSessions } from './era-sessions.js';

export interface Connection {
  readonly supervisor: Supervisor;
  readonly requests: RequestRouter;
  readonly eras: EraSessions;
}

export interface CloseHow {
  readonly reason: CloseReason;
  readonly calls: 'end' | 'finish';
}

interface WaitLimit {
  readonly signal?: AbortSignal | undefined;
}

const maxConnections = 32;
const defaultIdleStopMs = 300_000;
const logLevelTimeoutMs = 10_000;
const requestCapabilities = ['sampling', 'elicitation', 'roots'];

/** A call in the form of the SDK, or arguments as JSON text. */
function mistakeIn(tool: unknown, args: unknown): string | undefined {
  if (typeof tool !== 'string') return 'tool must be the name of a tool: callTool("read", { path: "a.txt" })';
  if (isRecord(args)) return undefined;
  return `The arguments of "${tool}" must be an object, got ${Array.isArray(args) ? 'a list' : `a ${typeof args}`}`;
}

interface StopHow {
  readonly force?: boolean | undefined;
}

interface CallerConnectionsOptions {
  readonly shared: Connection;
  /** Creates another connection without starting it. `onPhase` receives its phases. */
  readonly open: (server: ServerPolicy, onPhase: (phase: ServerState['phase']) => void) => Connection;
}

/**
 * One connection per caller. Before revision 2026-07-28 a server request does not name its call: only separate
 * connections attribute it to a caller.
 */
export class CallerConnections {
  readonly #options: CallerConnectionsOptions;
  /** Least recently used first. */
  readonly #open = new Map<unknown, Connection>();
  readonly #closing = new Set<Promise<void>>();
  #logLevel: ServerLogEntry['level'] | undefined;
  #isClosed = false;

  constructor(options: CallerConnectionsOptions) {
    this.#options = options;
  }

  /** @throws {ManagerError} `busy` when all connections are open and have calls in progress. */
  for(request: Pick<CallOptions, 'handler' | 'caller'>): Connection {
    const { shared, open } = this.#options;
    const { server, readySession, state } = shared.supervisor;
    if (server.connections === 'shared') return shared;
    const owner = ownerOf(request);
    const mayStart = server.autoStart || readySession !== undefined;
    if (owner === undefined || !mayStart || state.phase === 'disabled' || this.#isClosed) return shared;
    let connection = this.#open.get(owner);
    if (connection === undefined) {
      this.#makeRoom(server.name);
      connection = open(ofOneCaller(server), (phase) => this.#entered(owner, phase));
    }
    this.#open.delete(owner);
    this.#open.set(owner, connection);
    return connection;
  }

  get shared(): Connection {
    return this.#options.shared;
  }

  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolCallResult> {
    const { supervisor } = this.#options.shared;
    const mistake = mistakeIn(tool, args);
    if (mistake !== undefined) return Promise.reject(new TypeError(mistake));
    if (!supervisor.allowsTool(tool)) return Promise.reject(unknownTool(supervisor.server.name, tool));
    try {
      return this.for(options).requests.call(tool, args, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  all(): readonly Connection[] {
    return [this.#options.shared, ...this.#open.values()];
  }

  setLogLevel(level: ServerLogEntry['level']): void {
    this.#logLevel = level;
    for (const { eras } of this.all()) eras.setLogLevel(level);
    for (const { supervisor } of this.#open.values()) sendLogLevel(level, supervisor);
  }

  async stop(how?: StopHow): Promise<void> {
    await Promise.all(
      this.all().flatMap(({ supervisor, requests, eras }) => {
        requests.refuseUnsent();
        return [supervisor.stop(how), eras.endLegacy(how?.force ? 'end' : 'finish')];
      }),
    );
  }

  async restart(limit: WaitLimit | undefined): Promise<void> {
    for (const owner of [...this.#open.keys()]) {
      if (!this.#endUnused(owner))
        void this.#open
          .get(owner)
          ?.supervisor.restart()
          .catch(() => undefined);
    }
    for (const { eras } of this.all()) void eras.endLegacy('finish').catch(() => undefined);
    await this.#options.shared.supervisor.restart(limit);
  }

  async update(server: ServerPolicy): Promise<void> {
    const others = [...this.#open.values()];
    const isOver = server.connections === 'shared';
    const { shared } = this.#options;
    await Promise.all([
      ...this.all().map(({ eras }) => eras.endLegacy('finish')),
      shared.supervisor.update(server),
      ...others.map(({ supervisor }) => (isOver ? supervisor.stop() : supervisor.update(ofOneCaller(server)))),
    ]);
  }

  async close(how: CloseHow): Promise<void> {
    this.#isClosed = true;
    for (const owner of [...this.#open.keys()]) this.#end(owner, how);
    const { supervisor, eras } = this.#options.shared;
    await Promise.all([supervisor.close(how), eras.endLegacy(how.calls), ...this.#closing]);
  }

  #entered(owner: unknown, phase: ServerState['phase']): void {
    const connection = this.#open.get(owner);
    connection?.eras.entered(phase);
    if (phase === 'idle') this.#endUnused(owner);
    if (phase !== 'ready' || !connection || !this.#logLevel) return;
    connection.eras.setLogLevel(this.#logLevel);
    sendLogLevel(this.#logLevel, connection.supervisor);
  }

  #makeRoom(server: string): void {
    if (this.#open.size < maxConnections) return;
    for (const owner of this.#open.keys()) if (this.#endUnused(owner)) return;
    const message = `Server "${server}" has ${maxConnections} callers with calls in progress on their own connections, which is its limit. Retry later.`;
    throw new ManagerError('busy', message, { server, retryable: true });
  }

  #endUnused(owner: unknown): boolean {
    const { callsInFlight = 0, callsQueued = 0 } = this.#open.get(owner)?.supervisor.status ?? {};
    if (callsInFlight + callsQueued > 0) return false;
    this.#end(owner, { reason: 'manager-closed', calls: 'finish' });
    return true;
  }

  #end(owner: unknown, how: CloseHow): void {
    const connection = this.#open.get(owner);
    if (connection === undefined || !this.#open.delete(owner)) return;
    const { supervisor, eras } = connection;
    const closed = Promise.all([supervisor.close(how), eras.endLegacy(how.calls)]).then(() => undefined);
    const closing = closed.finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    closing.catch(() => undefined);
  }
}

function sendLogLevel(level: ServerLogEntry['level'], { readySession }: Supervisor): void {
  const signal = AbortSignal.timeout(logLevelTimeoutMs);
  readySession?.request('logging/setLevel', { level }, { signal }).catch(() => undefined);
}

function ofOneCaller(server: ServerPolicy): ServerPolicy {
  const limits = { ...server.limits, idleStopMs: server.limits.idleStopMs ?? defaultIdleStopMs };
  return { ...server, limits, autoStart: true, eager: false };
}

/** Callers without client handlers (`undefined`) share a connection. */
function ownerOf(request: Pick<CallOptions, 'handler' | 'caller'>): unknown {
  const { handler, caller } = request;
  const capabilities = handler?.capabilities;
  if (!isRecord(capabilities)) return undefined;
  return requestCapabilities.some((capability) => capabilities[capability] !== undefined)
    ? queueKeyOf({ handler, caller })
    : undefined;
}

/** Does not reveal whether the server has an excluded tool. */
function unknownTool(server: string, tool: string): ManagerError {
  return new ManagerError('unknown-tool', `Server "${server}" offers no tool named "${tool}"`, { server });
}
