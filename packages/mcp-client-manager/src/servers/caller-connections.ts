import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../errors.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { CallOptions } from '../routing/call-options.js';
import { sharerOf } from '../routing/caller.js';
import type { RequestRouter } from '../routing/request-router.js';
import type { ServerLogEntry } from '../session/session-listeners.js';
import type { CloseReason, ServerState } from '../supervisor/state/server-state.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import { unknownTool } from '../unknown-tool.js';

/** One connection to a server, with the turns of the requests that it is for. */
export interface Connection {
  readonly supervisor: Supervisor;
  readonly requests: RequestRouter;
}

/** How connections are ended for good. */
export interface CloseHow {
  readonly reason: CloseReason;
  readonly calls: 'end' | 'finish';
}

interface WaitLimit {
  readonly signal?: AbortSignal | undefined;
}

/** Connections of one server at once, beside the one that all share. */
const maxConnections = 32;
/** How long one may be unused if the spec says nothing, in milliseconds. */
const defaultIdleStopMs = 300_000;
const logLevelTimeoutMs = 10_000;
/** What a client can be asked for. */
const questions = ['sampling', 'elicitation', 'roots'];

export interface CallerConnectionsOptions {
  /** The connection that all others share. */
  readonly shared: Connection;
  /** Makes one more, which tells what it has got to. Starts nothing. */
  readonly open: (server: ServerPolicy, onPhase: (phase: ServerState['phase']) => void) => Connection;
}

/**
 * The connections of one server by whom they are for. A server of the revisions before 2026-07-28 does not say which call
 * its question is about; where only one caller's calls are, there is nothing to tell apart.
 */
export class CallerConnections {
  readonly #options: CallerConnectionsOptions;
  /** The one that was used last comes last. */
  readonly #open = new Map<unknown, Connection>();
  readonly #closing = new Set<Promise<void>>();
  #logLevel: ServerLogEntry['level'] | undefined;
  #isClosed = false;

  constructor(options: CallerConnectionsOptions) {
    this.#options = options;
  }

  /**
   * The one that a request is made over.
   * @throws {ManagerError} `busy` when as many callers as may have one have calls under way.
   */
  for(request: Pick<CallOptions, 'host' | 'caller'>): Connection {
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
    this.#open.delete(owner); // so that it comes last
    this.#open.set(owner, connection);
    return connection;
  }

  /** The one that all share who have none of their own. */
  get shared(): Connection {
    return this.#options.shared;
  }

  /** Calls one tool, if the spec allows it. See `ManagedServer.callTool`. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolCallResult> {
    const { supervisor } = this.#options.shared;
    if (!supervisor.allowsTool(tool)) return Promise.reject(unknownTool(supervisor.server.name, tool));
    try {
      return this.for(options).requests.call(tool, args, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Every connection that there is. */
  all(): readonly Connection[] {
    return [this.#options.shared, ...this.#open.values()];
  }

  /** What the servers of callers are to log, those that are to be started included. Nothing depends on whether they do. */
  setLogLevel(level: ServerLogEntry['level']): void {
    this.#logLevel = level;
    for (const { supervisor } of this.#open.values()) askToLog(level, supervisor);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.all().map(({ supervisor, requests }) => {
        requests.refuseUnsent();
        return supervisor.stop();
      }),
    );
  }

  async restart(limit: WaitLimit | undefined): Promise<void> {
    for (const owner of [...this.#open.keys()]) {
      // Whatever becomes of its calls, they tell it.
      if (!this.#endUnused(owner))
        void this.#open
          .get(owner)
          ?.supervisor.restart()
          .catch(() => undefined);
    }
    await this.#options.shared.supervisor.restart(limit);
  }

  async update(server: ServerPolicy): Promise<void> {
    const others = [...this.#open.values()];
    const isOver = server.connections === 'shared';
    await Promise.all([
      this.#options.shared.supervisor.update(server),
      ...others.map(({ supervisor }) => (isOver ? supervisor.stop() : supervisor.update(ofOneCaller(server)))),
    ]);
  }

  async close(how: CloseHow): Promise<void> {
    this.#isClosed = true;
    for (const owner of [...this.#open.keys()]) this.#end(owner, how);
    await Promise.all([this.#options.shared.supervisor.close(how), ...this.#closing]);
  }

  #entered(owner: unknown, phase: ServerState['phase']): void {
    const connection = this.#open.get(owner);
    if (phase === 'idle') this.#endUnused(owner);
    if (phase === 'ready' && connection && this.#logLevel) askToLog(this.#logLevel, connection.supervisor);
  }

  #makeRoom(server: string): void {
    if (this.#open.size < maxConnections) return;
    for (const owner of this.#open.keys()) if (this.#endUnused(owner)) return;
    const message = `${maxConnections} callers have calls under way on connections of their own to server "${server}"; nobody else can have one.`;
    throw new ManagerError('busy', message, { server, retryable: true });
  }

  /** @returns Whether it is ended. */
  #endUnused(owner: unknown): boolean {
    const { callsInFlight = 0, callsQueued = 0 } = this.#open.get(owner)?.supervisor.status ?? {};
    if (callsInFlight + callsQueued > 0) return false;
    this.#end(owner, { reason: 'manager-closed', calls: 'finish' });
    return true;
  }

  #end(owner: unknown, how: CloseHow): void {
    const connection = this.#open.get(owner);
    if (connection === undefined || !this.#open.delete(owner)) return;
    const closing = connection.supervisor.close(how).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    closing.catch(() => undefined); // told to whoever closes the server
  }
}

function askToLog(level: ServerLogEntry['level'], { readySession }: Supervisor): void {
  const signal = AbortSignal.timeout(logLevelTimeoutMs);
  readySession?.request('logging/setLevel', { level }, { signal }).catch(() => undefined); // it has none, or is gone
}

function ofOneCaller(server: ServerPolicy): ServerPolicy {
  return { ...server, autoStart: true, eager: false, idleStopMs: server.idleStopMs ?? defaultIdleStopMs };
}

/** Whose connection it is; `undefined`: nobody's who could be asked for anything. */
function ownerOf(request: Pick<CallOptions, 'host' | 'caller'>): unknown {
  const { host, caller } = request;
  const capabilities = host?.capabilities;
  if (!isRecord(capabilities)) return undefined;
  return questions.some((question) => capabilities[question] !== undefined) ? sharerOf({ host, caller }) : undefined;
}
