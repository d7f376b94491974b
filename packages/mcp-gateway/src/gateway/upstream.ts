import type { CallHandler, RpcError, ToolProgress, ToolSourceState } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/**
 * The servers behind a gateway, without their tools, which a registry provides. A client manager of
 * `@x/mcp-client-manager` is assignable.
 */
export interface GatewayUpstreams {
  /** Every server, in the order of lists. Read again for each request. */
  servers(): readonly GatewayUpstream[];
  readonly events: GatewayUpstreamEvents;
  /**
   * Adds headers to all HTTP requests to an origin, computed for each request, until the result is disposed. The
   * gateway marks its requests with them, and refuses to be a server of itself. Absent: it cannot detect that.
   */
  sendHeaders?(headersFor: (origin: string) => Readonly<Record<string, string>>): Disposable;
}

/** Events of servers. */
export interface GatewayUpstreamEvents {
  /** `listResources` or `listPrompts` would return something else. */
  on(name: 'resources-changed' | 'prompts-changed', listener: (event: UpstreamEvent) => void): Disposable;
  /** A server announced changed tools, and lists the same. */
  on(name: 'tools-relisted', listener: (event: UpstreamEvent) => void): Disposable;
  /** A resource, or a part of a subscribed one, has changed. */
  on(name: 'resource-updated', listener: (event: UpstreamEvent & { readonly uri: string }) => void): Disposable;
  /** The user has completed an elicitation by URL. */
  on(
    name: 'elicitation-completed',
    listener: (event: UpstreamEvent & { readonly elicitationId: string }) => void,
  ): Disposable;
  /** A notification without an event of its own. */
  on(name: 'server-notification', listener: (event: UpstreamEvent & UpstreamNotification) => void): Disposable;
  /** A server has written to its log. */
  on(name: 'server-log', listener: (event: UpstreamEvent & UpstreamLogEntry) => void): Disposable;
  /** `state` or `session` of a server may have changed. */
  on(name: 'server-state', listener: (event: UpstreamEvent) => void): Disposable;
  /** `servers()` has changed. */
  on(name: 'servers-changed', listener: (event: unknown) => void): Disposable;
}

/** An event of a server. */
export interface UpstreamEvent {
  /** `GatewayUpstream.name`. */
  readonly server: string;
}

/** A notification of a server. */
export interface UpstreamNotification {
  /** As received, with `notifications/`. */
  readonly method: string;
  /** Empty for a notification without params. */
  readonly params: UpstreamResult;
}

/** A message of `notifications/message`. */
export interface UpstreamLogEntry {
  readonly level: LogLevel;
  /** The server's name of the logging part. */
  readonly logger?: string | undefined;
  /** Any JSON. */
  readonly data: unknown;
  /**
   * Owner of the calls in progress, as in `CallHandler`: only that owner's clients get the entry. `several`: no client
   * gets it. Default: all clients that may use the server get it.
   */
  readonly about?: { readonly owner: unknown } | 'several' | undefined;
}

/** The levels of the protocol, which are those of syslog. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * One server, across its processes. An error response of the server must be recognizable: in `rpc`, or as an error
 * whose `code` is an integer, with `data`.
 */
export interface GatewayUpstream {
  /** Also the name of its `ToolSource` in the registry. */
  readonly name: string;
  /** As in `ToolSource`. Lists do not start a stopped server. */
  readonly state?: ToolSourceState;
  /** `per-caller`: no two callers share a connection. Default: `shared`. */
  readonly connections?: 'shared' | 'per-caller' | undefined;
  /** The server's introduction: a new object for each connection, `undefined` without one. */
  readonly session: UpstreamSession | undefined;
  /** Era in which requests of clients of `era` are sent now. Absent: that of `session`. */
  eraFor?(era: 'legacy' | 'modern'): 'legacy' | 'modern' | undefined;
  /** All resources, of every page. */
  listResources(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All templates, of every page. */
  listResourceTemplates(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All prompts, of every page. */
  listPrompts(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** Sends any other request. Returns the server's result, unchanged. */
  request(method: string, params: UpstreamResult, options: UpstreamRequestOptions): Promise<UpstreamResult>;
  /** Lasts until `unsubscribeResource`, across connections. */
  subscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Resolves when the server has accepted it, or is not connected. */
  unsubscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Lasts as long as the connection. */
  setLogLevel(level: LogLevel, options: UpstreamRequestOptions): Promise<void>;
  /** Notifies a connected server that `roots/list` has changed. */
  notifyRootsChanged?(): Promise<void>;
  /** Forwards a client's unknown notification to a connected server. */
  notify?(method: string, params: UpstreamResult): Promise<void>;
}

/** A server's introduction at the handshake. */
export interface UpstreamSession {
  /** `modern`: revision 2026-07-28 or later. */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** Name and version, for `as-is` names with a single server. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Instructions for models. Used like `serverInfo`. */
  readonly instructions?: string | undefined;
  /** Requests without a capability here are not sent. */
  readonly capabilities: UpstreamCapabilities;
}

/** As the server declared them. A present capability is offered, even `false`. */
export interface UpstreamCapabilities {
  readonly resources?:
    | { readonly listChanged?: boolean | undefined; readonly subscribe?: boolean | undefined }
    | undefined;
  readonly prompts?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly completions?: object | undefined;
  readonly logging?: object | undefined;
  /** Others, such as `tasks`, `extensions` and `experimental`. */
  readonly [key: string]: unknown;
}

/** Options of a request. */
export interface UpstreamRequestOptions {
  /** Cancels the request at the server. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress of the request, without its token. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** As in `SourceCallOptions`. */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Handler for server requests. Default: the server's own handlers. */
  readonly handler?: CallHandler | undefined;
}

/** Options of a list. */
export interface UpstreamListOptions {
  /** Ends the wait. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** `false`: returns a stopped server's last list without starting it. */
  readonly wake?: boolean | undefined;
}

/** A list, complete or not. */
export interface UpstreamListing<Entry> {
  /** In the server's order. */
  readonly items: readonly Entry[];
  /** `partial`: some entries could not be read. `unavailable`: none could. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** The failures, for operators. */
  readonly problems: readonly string[];
}

/** A resource, template or prompt of a server, unchecked. */
export type UpstreamEntry = Readonly<Record<string, unknown>>;

/** The `params` or the `result` of a message. */
export type UpstreamResult = Readonly<Record<string, unknown>>;

/** All pages of one server's list. */
export interface ServerPages {
  readonly server: string;
  readonly items: readonly unknown[];
  /** Why items may be missing. */
  readonly reason?: string;
}

/** A failure of a server behind a gateway, for operators. Clients get only `server` and `reason`. */
export interface GatewayProblem {
  /** The operation that failed or is incomplete. `name-collision`: servers use the same name, which is not served. */
  readonly code: 'list-incomplete' | 'subscription-failed' | 'log-level-failed' | 'request-failed' | 'name-collision';
  /** `undefined` if the request failed before it had a server. */
  readonly server: string | undefined;
  /** One word, such as `timed-out`. */
  readonly reason: string;
  /** For people. May contain text of the server. */
  readonly message: string;
  readonly cause?: unknown;
}

export type ReportProblem = (problem: GatewayProblem) => void;

export function rpcErrorOf(error: unknown): RpcError | undefined {
  const given = isRecord(error) && isRecord(error.rpc) ? error.rpc : error;
  if (!isRecord(given) || !Number.isSafeInteger(given.code) || typeof given.message !== 'string') return undefined;
  return { code: given.code as number, message: given.message, data: given.data };
}

/** One word for clients that must not see more: messages may contain commands, paths and secrets. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  return typeof code === 'string' && /^[a-z][a-z-]{0,40}$/.test(code) ? code : 'failed';
}

/** The server's name, if the failure has it. */
export function serverOf(error: unknown): string | undefined {
  const server = isRecord(error) ? error.server : undefined;
  return typeof server === 'string' && server !== '' ? server : undefined;
}

const RESPONSES: ReadonlySet<string> = new Set([
  'server-error',
  'invalid-result',
  'result-too-large',
  'input-refused',
  'unsupported',
]);

/** False for failures in which no response arrived, and for unknown ones. */
export function hasResponded(reason: string): boolean {
  return RESPONSES.has(reason);
}

/** The public part of a failure in which the server did not respond. */
export interface FailureFacts {
  /** One word, such as `timed-out`. */
  readonly reason: string;
  /** True if a repeated request may succeed and cannot take effect twice. Absent if unknown. */
  readonly retryable?: boolean;
  /** Delay before a retry, in milliseconds, if known. */
  readonly retryAfterMs?: number;
}

export function failureFacts(error: unknown): FailureFacts {
  const { retryable, retryAfterMs } = isRecord(error) ? error : {};
  return {
    reason: reasonOf(error),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
  };
}
