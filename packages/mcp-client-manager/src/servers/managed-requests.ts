import type { RequestOptions } from '../routing/call-options.js';
import type { Listing } from '../session/lists/list-pages.js';
import type { ServerPrompt, ServerResource, ServerResourceTemplate } from '../session/lists/server-lists.js';
import type { ServerLogEntry } from '../session/session-listeners.js';

/**
 * Requests other than tool calls. They share the queue with those and are never repeated. Each starts the server if its
 * spec allows that, and fails with `unsupported` when the server did not declare the feature. It rejects with its
 * signal's reason, with a `TypeError` for an option that is out of bounds, or with a `ManagerError` of these codes:
 * `not-started`, `start-failed`, `auth-required`, `server-disabled`, `busy`, `unsupported`, `connection-lost`,
 * `outcome-unknown`, `timed-out`, `server-stopping`, `server-error`, `input-refused`, `result-too-large` or `closed`.
 */
export interface ManagedRequests {
  /** All resources, up to 100 pages and 10 000 entries. `problems` reports omissions. */
  listResources(options?: ListOptions): Promise<ManagedListing<ServerResource>>;
  /** All resource templates, within the same limits. */
  listResourceTemplates(options?: ListOptions): Promise<ManagedListing<ServerResourceTemplate>>;
  /** The contents of one resource. */
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  /**
   * Subscribes to changes of one resource, each of which emits `resource-updated`. Lasts until `unsubscribeResource`; a
   * restart emits the event once. A server that no longer knows the resource ends the subscription, with one last
   * event.
   */
  subscribeResource(uri: string, options?: RequestOptions): Promise<void>;
  /** Ends `subscribeResource`. */
  unsubscribeResource(uri: string, options?: RequestOptions): Promise<void>;
  /** All prompts, within the same limits. */
  listPrompts(options?: ListOptions): Promise<ManagedListing<ServerPrompt>>;
  /** One prompt with its arguments filled in. */
  getPrompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<GetPromptResult>;
  /** Suggestions for an argument of a prompt or a resource template. */
  complete(request: CompleteRequest, options?: RequestOptions): Promise<CompleteResult>;
  /** Sets the server's log level until it restarts; see the event `server-log`. */
  setLogLevel(level: ServerLogEntry['level'], options?: RequestOptions): Promise<void>;
  /**
   * Sends any request of the protocol. `params` and result pass unchanged; a JSON-RPC error is in `rpc` of the
   * `server-error`. `tools/call` behaves like `callTool`.
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: PassThroughOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Notifies the server of changed roots, on each connection that is ready. Does nothing on the others. */
  notifyRootsChanged(): Promise<void>;
  /** Sends any other notification, on each connection that is ready. Does nothing on the others. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Options of a list request. */
export interface ListOptions extends RequestOptions {
  /**
   * `true` (default): starts a stopped server if its spec allows that. `false`: returns the last list with `cachedAt`,
   * possibly from an earlier process, see `stateDirectory`; without one, `completeness` is `unavailable`.
   */
  readonly wake?: boolean | undefined;
}

/** One list of a server, current or remembered. */
export interface ManagedListing<Entry> extends Listing<Entry> {
  /** Time of a remembered list, in milliseconds since 1970. */
  readonly cachedAt?: number | undefined;
}

/** Options of a raw request. */
export interface PassThroughOptions extends RequestOptions {
  /**
   * Input requests of revision 2026-07-28. `answer` (default): `handler` responds, or else the manager's `handlers`.
   * `return`: the result comes back unchanged, with `resultType: 'input_required'`.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
}

/** `resources/read`: text, or base64 in `blob`, with all received keys. */
export interface ReadResourceResult {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string | undefined;
    readonly text?: string | undefined;
    readonly blob?: string | undefined;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** `prompts/get`, with all received keys. */
export interface GetPromptResult {
  readonly description?: string | undefined;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: unknown;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** Parameters of `completion/complete`. */
export interface CompleteRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** `completion/complete`, with all received keys. */
export interface CompleteResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number | undefined;
    readonly hasMore?: boolean | undefined;
  };
  readonly [key: string]: unknown;
}
