import type { RequestOptions } from '../routing/call-options.js';
import type { Listing } from '../session/list-pages.js';
import type { ServerPrompt, ServerResource, ServerResourceTemplate } from '../session/server-lists.js';
import type { ServerLogEntry } from '../session/session-listeners.js';

/**
 * What can be asked of a server beside calls of its tools, among which each has its turn. Each starts the server if its
 * spec allows that, and fails with `unsupported` when the server did not declare what the request needs. It rejects with
 * the reason of its signal when that aborts, with a `TypeError` for an option that is out of bounds, and with a
 * `ManagerError` of these codes: `not-started`, `start-failed`, `auth-required`, `server-disabled`, `busy`, `unsupported`,
 * `connection-lost`, `outcome-unknown`, `timed-out`, `server-stopping`, `server-error`, `input-refused`, `result-too-large`
 * or `closed`. What was sent is never sent again.
 */
export interface ManagedRequests {
  /** Every resource, of all pages within the limits: 100 pages, 10 000 entries. What was left out is in `problems`. */
  listResources(options?: ListOptions): Promise<ManagedListing<ServerResource>>;
  /** Every template of resources, within the same limits. */
  listResourceTemplates(options?: ListOptions): Promise<ManagedListing<ServerResourceTemplate>>;
  /** The contents of one resource. */
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  /**
   * Asks to be told of changes of one resource by the event `resource-updated`. Lasts until `unsubscribeResource`, also
   * when the server is started anew; the event is then sent once more, since nobody knows what happened in between. A
   * server that does not know the resource any more by then ends it; the event is sent for that, too.
   */
  subscribeResource(uri: string, options?: RequestOptions): Promise<void>;
  /** Ends `subscribeResource`. */
  unsubscribeResource(uri: string, options?: RequestOptions): Promise<void>;
  /** Every prompt, within the same limits. */
  listPrompts(options?: ListOptions): Promise<ManagedListing<ServerPrompt>>;
  /** One prompt with its arguments filled in. */
  getPrompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<GetPromptResult>;
  /** Suggestions for an argument of a prompt or of a resource template. */
  complete(request: CompleteRequest, options?: RequestOptions): Promise<CompleteResult>;
  /** What the server should log from now on, until it is started anew; see the event `server-log`. */
  setLogLevel(level: ServerLogEntry['level'], options?: RequestOptions): Promise<void>;
  /**
   * Any request of the protocol, passed through: `params` go as they are, and the result comes as the server sent it.
   * A JSON-RPC error is in `rpc` of the `server-error`, unchanged. `tools/call` is a call like that of `callTool`.
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: PassThroughOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Tells the server, if it is running, that the host's handler for `roots` would answer differently now. */
  notifyRootsChanged(): Promise<void>;
  /** Tells the server something that there is no other method for, if it is running. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** How a list is asked for, and whether that may start the server. */
export interface ListOptions extends RequestOptions {
  /**
   * What to do when the server is not running. `true` (default): it is started, if its spec allows that. `false`: what it
   * listed last comes instead, with `cachedAt`; it may have been an earlier process that asked, see `stateDirectory`.
   * With nothing to show, `completeness` is `unavailable`.
   */
  readonly wake?: boolean | undefined;
}

/** What one of a server's lists brought, now or at an earlier time. */
export interface ManagedListing<Entry> extends Listing<Entry> {
  /** When the server listed this, in milliseconds since 1970, if it was not asked now. */
  readonly cachedAt?: number | undefined;
}

/** How a request is passed through. */
export interface PassThroughOptions extends RequestOptions {
  /**
   * What to do when a server of revision 2026-07-28 needs something of its client first. `answer` (default): `host` is
   * asked, or else the manager's `handlers`. `return`: the result says so (`resultType: 'input_required'`), as it came.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
}

/** `resources/read`: text or base64 in `blob`, with every key that was sent. */
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

/** `prompts/get`, with every key that was sent. */
export interface GetPromptResult {
  readonly description?: string | undefined;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: unknown;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** What is being filled in, as the protocol says it in `completion/complete`. */
export interface CompleteRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are settled already. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** `completion/complete`: with every key that was sent. */
export interface CompleteResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number | undefined;
    readonly hasMore?: boolean | undefined;
  };
  readonly [key: string]: unknown;
}
