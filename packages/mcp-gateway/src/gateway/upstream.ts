import type { CallHost, ToolProgress, ToolSourceState } from '@x/internal/contracts';

/**
 * What a gateway needs of the servers behind it, beside the tools that a registry has of them. The gateway owns this
 * contract: a client manager of `@x/mcp-client-manager` fits as it stands.
 */
export interface GatewayUpstreams {
  /** Every server, in the order in which lists are to show what they offer. Asked again for each request. */
  servers(): readonly GatewayUpstream[];
  readonly events: GatewayUpstreamEvents;
  /**
   * Adds headers to all HTTP requests to servers of an origin, asked for each request, until the disposable is disposed. A gateway marks its requests
   * with them, so that it can refuse to be a server of itself. Left out, it cannot.
   */
  sendHeaders?(headersFor: (origin: string) => Readonly<Record<string, string>>): Disposable;
}

/** What servers tell by themselves; `server` is the name of the one that does. */
export interface GatewayUpstreamEvents {
  /** `listResources` or `listPrompts` would now answer differently. */
  on(name: 'resources-changed' | 'prompts-changed', listener: (event: UpstreamEvent) => void): Disposable;
  /** A resource has changed, one that was subscribed to or a part of one. */
  on(name: 'resource-updated', listener: (event: UpstreamEvent & { readonly uri: string }) => void): Disposable;
  /** What the user was to do at a URL is done: `notifications/elicitation/complete`. */
  on(
    name: 'elicitation-completed',
    listener: (event: UpstreamEvent & { readonly elicitationId: string }) => void,
  ): Disposable;
  /** A notification that there is no other event for, as it came. */
  on(name: 'server-notification', listener: (event: UpstreamEvent & UpstreamNotification) => void): Disposable;
  /** A server has written to its log. */
  on(name: 'server-log', listener: (event: UpstreamEvent & UpstreamLogEntry) => void): Disposable;
  /** `state` or `session` of a server may be another one now. */
  on(name: 'server-state', listener: (event: UpstreamEvent) => void): Disposable;
  /** `servers()` answers differently. */
  on(name: 'servers-changed', listener: (event: unknown) => void): Disposable;
}

/** Something that a server tells by itself. */
export interface UpstreamEvent {
  /** `GatewayUpstream.name`. */
  readonly server: string;
}

/** A notification that a server has sent. */
export interface UpstreamNotification {
  /** With `notifications/` before it, as it came. */
  readonly method: string;
  /** Empty if there were none. */
  readonly params: UpstreamResult;
}

/** A message of `notifications/message`. */
export interface UpstreamLogEntry {
  readonly level: LogLevel;
  /** The part of the server that it is of, by the server's own name for it. */
  readonly logger?: string | undefined;
  /** Any JSON. */
  readonly data: unknown;
  /**
   * For whom the server was at work then, by the `owner` of `CallHost`: the gateway forwards the entry to the clients of
   * that owner alone. `several`: it cannot be told, and no client gets the entry. Default: all who may use the server get it.
   */
  readonly about?: { readonly owner: unknown } | 'several' | undefined;
}

/** The levels of the protocol, which are those of syslog. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * One server, whatever process is behind its name. An error that the server itself has answered with has to be told as
 * one: in `rpc`, or as an error whose `code` is a whole number, with `data`. Progress and cancellation go by `options`.
 */
export interface GatewayUpstream {
  /** The name that its `ToolSource` has in the registry, too. */
  readonly name: string;
  /** As in `ToolSource`. A server that is at rest is not started to be listed. */
  readonly state?: ToolSourceState;
  /** `per-caller`: what is asked for a caller goes over a connection that no other caller's calls use. Default: `shared`. */
  readonly connections?: 'shared' | 'per-caller' | undefined;
  /** What the server said of itself; another object for each connection, and `undefined` while there is none. */
  readonly session: UpstreamSession | undefined;
  /** All resources, of every page. */
  listResources(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All templates, of every page. */
  listResourceTemplates(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** All prompts, of every page. */
  listPrompts(options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** Any other request, passed through: the result is what the server has sent. */
  request(method: string, params: UpstreamResult, options: UpstreamRequestOptions): Promise<UpstreamResult>;
  /** Lasts until `unsubscribeResource`, over any number of connections to the server. */
  subscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Resolves when the server has taken it, or is not connected. */
  unsubscribeResource(uri: string, options: UpstreamRequestOptions): Promise<void>;
  /** Lasts as long as the connection. */
  setLogLevel(level: LogLevel, options: UpstreamRequestOptions): Promise<void>;
  /** Tells the server, if it is connected, that `roots/list` would be answered differently now. */
  notifyRootsChanged?(): Promise<void>;
  /** Tells the server, if it is connected, what a client says that the gateway does not know. */
  notify?(method: string, params: UpstreamResult): Promise<void>;
}

/** What a server said of itself when it was connected. */
export interface UpstreamSession {
  /** `modern`: of the 2026-07-28 revision or a later one. */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** How a single server whose names are as they are is introduced. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** For models. Passed on with `serverInfo`. */
  readonly instructions?: string | undefined;
  /** What is not among them is not asked for. */
  readonly capabilities: UpstreamCapabilities;
}

/** As the server has declared them. One that is there is offered, whatever it holds. */
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

/** How a request is passed on. */
export interface UpstreamRequestOptions {
  /** Ends the request: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each progress notification of the request, without its token. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent along as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** As in the `CallToolOptions` of a call. */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Answers what the server asks meanwhile. Default: who answers for the server. */
  readonly host?: CallHost | undefined;
}

/** How a list is asked for. */
export interface UpstreamListOptions {
  /** Ends the wait; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** `false`: a server that is not running is not started; what it listed last is answered. */
  readonly wake?: boolean | undefined;
}

/** A list as far as it could be read. */
export interface UpstreamListing<Entry> {
  /** In the server's order. */
  readonly items: readonly Entry[];
  /** `partial`: some of it could not be read. `unavailable`: nothing could. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** What was wrong, for operators. */
  readonly problems: readonly string[];
}

/** A resource, template or prompt as the server has described it. Nothing in it has been checked. */
export type UpstreamEntry = Readonly<Record<string, unknown>>;

/** The `params` or the `result` of a message, as the protocol has them. */
export type UpstreamResult = Readonly<Record<string, unknown>>;
