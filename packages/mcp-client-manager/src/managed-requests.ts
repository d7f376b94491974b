import type { KnownLists } from './catalog-cache/known-lists.js';
import type { RememberedList } from './catalog-cache/server-memory.js';
import { isManagerError, ManagerError } from './errors.js';
import { requireHost } from './routing/call-options.js';
import type { CallRouter } from './routing/call-router.js';
import type { ResourceSubscriptions } from './routing/resource-subscriptions.js';
import { type RequestOptions, routeRequest, type SendOptions } from './routing/route-request.js';
import { readCallParams } from './session/call-params.js';
import type { Listing } from './session/list-pages.js';
import type { RawResult } from './session/request-lane.js';
import type { ServerLists, ServerPrompt, ServerResource, ServerResourceTemplate } from './session/server-lists.js';
import type { Session } from './session/session.js';
import type { ServerLogEntry } from './session/session-listeners.js';
import type { Supervisor } from './supervisor/supervisor.js';
import { unknownTool } from './unknown-tool.js';

/**
 * What can be asked of a server beside calls of its tools, among which each has its turn. Each starts the server if its
 * spec allows that, and fails with `unsupported` when the server did not declare what the request needs. For the other
 * errors see `routeRequest`.
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

export interface ManagedRequestsContext {
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly calls: CallRouter;
  readonly subscriptions: ResourceSubscriptions;
  readonly lists: KnownLists;
  readonly callTimeoutMs: number;
}

export function managedRequests({
  name,
  supervisor,
  calls,
  subscriptions,
  lists,
  callTimeoutMs,
}: ManagedRequestsContext): ManagedRequests {
  const route = async <Result>(
    what: string,
    { signal, timeoutMs = callTimeoutMs, queueTimeoutMs, inputRequired, host }: PassThroughOptions,
    send: (session: Session, how: SendOptions) => Promise<Result>,
  ): Promise<Result> => {
    requireHost({ inputRequired, host });
    return routeRequest(
      { supervisor, gate: calls.gate },
      { server: name, what, timeoutMs, queueTimeoutMs, signal, host },
      send,
    );
  };

  const request = (method: string, params: Params, options: PassThroughOptions): Promise<RawResult> =>
    route(`"${method}"`, options, (session, how) => session.request(method, params, { ...options, ...how }));

  const list = async <Method extends keyof ServerLists>(
    method: Method,
    { wake = true, ...options }: ListOptions,
  ): Promise<ManagedListing<ServerLists[Method]>> => {
    options.signal?.throwIfAborted();
    if (!wake && !supervisor.readySession) return lastListing(name, lists.recall(method));
    const { cause, ...listing } = await route(`"${method}"`, options, (session, how) => session.listAll(method, how));
    if (listing.completeness === 'complete') lists.remember(method, listing.items);
    if (listing.completeness !== 'unavailable') return listing;
    if (isManagerError(cause) && cause.code === 'auth-required') throw cause;
    const message = `Server "${name}" did not answer "${method}": ${listing.problems.join('; ')}`;
    throw new ManagerError('server-error', message, { server: name, cause });
  };

  const checked = async <Result>(
    key: string,
    method: string,
    params: Params,
    options: RequestOptions,
  ): Promise<Result> => {
    const result = await request(method, params, options);
    if (typeof result[key] === 'object' && result[key] !== null) return result as Result;
    const message = `Server "${name}" answered "${method}" with a result that has no "${key}".`;
    throw new ManagerError('server-error', message, { server: name });
  };

  return {
    listResources: (options = {}) => list('resources/list', options),
    listResourceTemplates: (options = {}) => list('resources/templates/list', options),
    listPrompts: (options = {}) => list('prompts/list', options),
    readResource: (uri, options = {}) => checked('contents', 'resources/read', { uri }, options),
    getPrompt: (prompt, args = {}, options = {}) =>
      checked('messages', 'prompts/get', { name: prompt, arguments: args }, options),
    complete: ({ ref, argument, context: settled }, options = {}) =>
      checked('completion', 'completion/complete', { ref, argument, ...(settled && { context: settled }) }, options),
    subscribeResource: (uri, options = {}) =>
      route('"resources/subscribe"', options, async (session, how) => {
        await session.request('resources/subscribe', { uri }, { ...options, ...how });
        subscriptions.add(uri, session);
      }),
    unsubscribeResource: async (uri, options = {}) => {
      subscriptions.delete(uri);
      const { readySession } = supervisor; // a server that is not running has forgotten it already
      if (readySession) await request('resources/unsubscribe', { uri }, options);
    },
    setLogLevel: async (level, options = {}) => {
      await request('logging/setLevel', { level }, options);
    },
    request: async (method, params = {}, options = {}) => {
      if (method === 'tools/call') {
        const { tool, args, meta, others } = readCallParams(params);
        if (!supervisor.allowsTool(tool)) throw unknownTool(name, tool);
        return calls.call(tool, args, {
          ...options,
          ...(meta && { meta: { ...meta, ...options.meta } }),
          params: others,
        });
      }
      const result = await request(method, params, options);
      return method === 'tools/list' ? withAllowedTools(result, supervisor) : result;
    },
    notifyRootsChanged: async () => {
      await supervisor.readySession?.notifyRootsChanged();
    },
    notify: async (method, params = {}) => {
      await supervisor.readySession?.notify(method, params);
    },
  };
}

function lastListing<Entry>(server: string, known: RememberedList<Entry> | undefined): ManagedListing<Entry> {
  if (known) return { items: known.items, completeness: 'complete', problems: [], cachedAt: known.savedAt };
  const problems = [`server "${server}" is not running, and nobody has asked it for this list before`];
  return { items: [], completeness: 'unavailable', problems };
}

type Params = Readonly<Record<string, unknown>>;

/** What the server's spec keeps back is not there by this way either. */
function withAllowedTools(result: RawResult, supervisor: Supervisor): RawResult {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  return {
    ...result,
    tools: tools.filter((tool: { name?: unknown } | null) => supervisor.allowsTool(String(tool?.name))),
  };
}
