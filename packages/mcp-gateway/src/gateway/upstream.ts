import type { CallHandler, ToolProgress, ToolSourceState } from '@x/internal/contracts';

/**
 * The servers behind a gateway, apart from their tools, which a registry provides. The gateway owns this contract: a
 * client manager of `@x/mcp-client-manager` satisfies it as it stands.
 */
export interface GatewayUpstreams {
  /** Every server, in the order of lists. Read again for each request. */
  servers(): readonly GatewayUpstream[];
  readonly events: GatewayUpstreamEvents;
  /**
   * Adds headers to all HTTP requests to servers of an origin, computed for each request, until the result is
   * disposed. A gateway marks its requests with them, to refuse being a server of itself. Without it, it cannot.
   */
  sendHeaders?(headersFor: (origin: string) => Readonly<Record<string, string>>): Disposable;
}

/** Events of servers; `server` is the name of the server. */
export interface GatewayUpstreamEvents {
  /** `listResources` or `listPrompts` would return something else now. */
  on(name: 'resources-changed' | 'prompts-changed', listener: (event: UpstreamEvent) => void): Disposable;
  /** A resource has changed, a subscribed one or a part of it. */
  on(name: 'resource-updated', listener: (event: UpstreamEvent & { readonly uri: string }) => void): Disposable;
  /** The user has completed an elicitation by URL: `notifications/elicitation/complete`. */
  on(
    name: 'elicitation-completed',
    listener: (event: UpstreamEvent & { readonly elicitationId: string }) => void,
  ): Disposable;
  /** A notification without an event of its own, as received. */
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
  /** With the prefix `notifications/`, as received. */
  readonly method: string;
  /** Empty if there were none. */
  readonly params: UpstreamResult;
}

/** A message of `notifications/message`. */
export interface UpstreamLogEntry {
  readonly level: LogLevel;
  /** The part of the server that logs, by the server's own name for it. */
  readonly logger?: string | undefined;
  /** Any JSON. */
  readonly data: unknown;
  /**
   * Owner of the calls in progress, by the `owner` of `CallHandler`: the gateway forwards the entry only to clients of
   * that owner. `several`: ambiguous, and no client gets the entry. Default: all clients that may use the server get
   * it.
   */
  readonly about?: { readonly owner: unknown } | 'several' | undefined;
}

/** The levels of the protocol, which are those of syslog. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * One server, across its processes. An error response of the server itself must be recognizable: in `rpc`, or as an
 * error whose `code` is a whole number, with `data`. Progress and cancellation use `options`.
 */
export interface GatewayUpstream {
  /** Also the name of its `ToolSource` in the registry. */
  readonly name: string;
  /** As in `ToolSource`. Lists do not start a stopped server. */
  readonly state?: ToolSourceState;
  /** `per-caller`: requests of a caller use a connection that no other caller shares. Default: `shared`. */
  readonly connections?: 'shared' | 'per-caller' | undefined;
  /** The server's introduction; a new object for each connection, `undefined` without one. */
  readonly session: UpstreamSession | undefined;
  /** All resources, of every page. */
  listResources(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All templates, of every page. */
  listResourceTemplates(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All prompts, of every page. */
  listPrompts(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** Any other request, passed through: the server's result, unchanged. */
  request(method: string, params: UpstreamResult, options: UpstreamRequestOptions): Promise<UpstreamResult>;
  /** Lasts until `unsubscribeResource`, across connections to the server. */
  subscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Resolves when the server has accepted it, or is not connected. */
  unsubscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Lasts as long as the connection. */
  setLogLevel(level: LogLevel, options: UpstreamRequestOptions): Promise<void>;
  /** Notifies the server, if it is connected, that `roots/list` has changed. */
  notifyRootsChanged?(): Promise<void>;
  /** Sends a client's notification that the gateway does not know to the server, if it is connected. */
  notify?(method: string, params: UpstreamResult): Promise<void>;
}

/** A server's introduction at the handshake. */
export interface UpstreamSession {
  /** `modern`: of the 2026-07-28 revision or a later one. */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** The introduction of a single server with `as-is` names. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** For models. Passed on with `serverInfo`. */
  readonly instructions?: string | undefined;
  /** Requests without a capability here are not sent. */
  readonly capabilities: UpstreamCapabilities;
}

/** As the server declared them. A present one is offered, regardless of its value. */
export interface UpstreamCapabilities {
  readonly resources?:
    | { readonly listChanged?: boolean | undefined; readonly subscribe?: boolean | undefined }
    | undefined;
  readonly prompts?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly completions?: object | undefined;
  readonly logging?: object | undefined;
  /** Others, such as `tasks`, `extensions` and `experimental`, are passed on. */
  readonly [key: string]: unknown;
}

/** Options of a request. */
export interface UpstreamRequestOptions {
  /** Ends the request: the server is notified, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each progress notification of the request, without its token. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** As in the `CallToolOptions` of a call. */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Handler for server requests meanwhile. Default: the server's own handlers. */
  readonly handler?: CallHandler | undefined;
}

/** Options of a list. */
export interface UpstreamListOptions {
  /** Ends the wait; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** `false`: a stopped server is not started; its last list is returned. */
  readonly wake?: boolean | undefined;
}

/** A list, as far as it could be read. */
export interface UpstreamListing<Entry> {
  /** In the server's order. */
  readonly items: readonly Entry[];
  /** `partial`: some of it could not be read. `unavailable`: nothing could. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** The failure, for operators. */
  readonly problems: readonly string[];
}

/** A resource, template or prompt as the server described it, unchecked. */
export type UpstreamEntry = Readonly<Record<string, unknown>>;

/** The `params` or the `result` of a message, in the protocol's form. */
export type UpstreamResult = Readonly<Record<string, unknown>>;
