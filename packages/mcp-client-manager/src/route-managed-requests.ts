import type { CallerConnections, Connection } from './caller-connections.js';
import type { KnownLists } from './catalog-cache/known-lists.js';
import type { RememberedList } from './catalog-cache/server-memory.js';
import { isManagerError, ManagerError } from './errors.js';
import type { ListOptions, ManagedListing, ManagedRequests, PassThroughOptions } from './managed-requests.js';
import { requireHost } from './routing/call-options.js';
import type { ResourceSubscriptions } from './routing/resource-subscriptions.js';
import { type RequestOptions, routeRequest, type SendOptions } from './routing/route-request.js';
import { readCallParams } from './session/call-params.js';
import type { Params, RawResult } from './session/request-lane.js';
import type { ServerLists } from './session/server-lists.js';
import type { Session } from './session/session.js';
import type { Supervisor } from './supervisor/supervisor.js';

export interface ManagedRequestsContext {
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly connections: CallerConnections;
  readonly subscriptions: ResourceSubscriptions;
  readonly lists: KnownLists;
  readonly callTimeoutMs: number;
}

/** The requests of one server, each routed to whatever process serves it at that time. */
export function managedRequests(context: ManagedRequestsContext): ManagedRequests {
  const { supervisor, connections, subscriptions } = context;
  const routes = new RequestRoutes(context);
  return {
    listResources: (options = {}) => routes.list('resources/list', options),
    listResourceTemplates: (options = {}) => routes.list('resources/templates/list', options),
    listPrompts: (options = {}) => routes.list('prompts/list', options),
    readResource: (uri, options = {}) => routes.checked('contents', 'resources/read', { uri }, options),
    getPrompt: (name, args = {}, options = {}) =>
      routes.checked('messages', 'prompts/get', { name, arguments: args }, options),
    complete: ({ ref, argument, context: settled }, options = {}) =>
      routes.checked(
        'completion',
        'completion/complete',
        { ref, argument, ...(settled && { context: settled }) },
        options,
      ),
    subscribeResource: (uri, options = {}) => routes.subscribe(uri, options),
    unsubscribeResource: async (uri, options = {}) => {
      subscriptions.delete(uri);
      const { readySession } = supervisor; // a server that is not running has forgotten it already
      if (readySession) await routes.request('resources/unsubscribe', { uri }, options);
    },
    setLogLevel: async (level, options = {}) => {
      await routes.request('logging/setLevel', { level }, options);
      connections.setLogLevel(level);
    },
    request: (method, params = {}, options = {}) => routes.passThrough(method, params, options),
    notifyRootsChanged: () => routes.tell((session) => session.notifyRootsChanged()),
    notify: (method, params = {}) => routes.tell((session) => session.notify(method, params)),
  };
}

/** What is the same for all callers, or kept for all of them together. */
const aboutAll: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

class RequestRoutes {
  readonly #context: ManagedRequestsContext;

  constructor(context: ManagedRequestsContext) {
    this.#context = context;
  }

  async request(method: string, params: Params, options: PassThroughOptions): Promise<RawResult> {
    const { connections } = this.#context;
    const connection = aboutAll.has(method) ? connections.shared : connections.for(options);
    return this.#route(
      `"${method}"`,
      options,
      (session, how) => session.request(method, params, { ...options, ...how }),
      connection,
    );
  }

  /** Says something on every connection that there is. */
  async tell(say: (session: Session) => Promise<void>): Promise<void> {
    await Promise.all(
      this.#context.connections.all().map(async ({ supervisor: { readySession } }) => {
        if (readySession) await say(readySession);
      }),
    );
  }

  /** What the server's spec keeps back is not there by this way either. */
  async passThrough(method: string, params: Params, options: PassThroughOptions): Promise<RawResult> {
    const { supervisor, connections } = this.#context;
    if (method === 'tools/call') {
      const { tool, args, meta, others } = readCallParams(params);
      const whole = { ...options, ...(meta && { meta: { ...meta, ...options.meta } }), params: others };
      return connections.call(tool, args, whole);
    }
    const result = await this.request(method, params, options);
    return method === 'tools/list' ? withAllowedTools(result, supervisor) : result;
  }

  /** A request whose result is of use only if it has an object or a list under `key`. */
  async checked<Result>(key: string, method: string, params: Params, options: RequestOptions): Promise<Result> {
    const result = await this.request(method, params, options);
    if (typeof result[key] === 'object' && result[key] !== null) return result as Result;
    const { name } = this.#context;
    const message = `Server "${name}" answered "${method}" with a result that has no "${key}".`;
    throw new ManagerError('server-error', message, { server: name });
  }

  async list<Method extends keyof ServerLists>(
    method: Method,
    { wake = true, ...options }: ListOptions,
  ): Promise<ManagedListing<ServerLists[Method]>> {
    const { name, supervisor, lists } = this.#context;
    options.signal?.throwIfAborted();
    if (!wake && !supervisor.readySession) return lastListing(name, lists.recall(method));
    const { cause, ...listing } = await this.#route(`"${method}"`, options, (session, how) =>
      session.listAll(method, how),
    );
    if (listing.completeness === 'complete') lists.remember(method, listing.items);
    if (listing.completeness !== 'unavailable') return listing;
    if (isManagerError(cause) && cause.code === 'auth-required') throw cause;
    const message = `Server "${name}" did not answer "${method}": ${listing.problems.join('; ')}`;
    throw new ManagerError('server-error', message, { server: name, cause });
  }

  subscribe(uri: string, options: RequestOptions): Promise<void> {
    return this.#route('"resources/subscribe"', options, async (session, how) => {
      await session.request('resources/subscribe', { uri }, { ...options, ...how });
      this.#context.subscriptions.add(uri, session);
    });
  }

  async #route<Result>(
    what: string,
    { signal, timeoutMs, queueTimeoutMs, inputRequired, host, caller }: PassThroughOptions,
    send: (session: Session, how: SendOptions) => Promise<Result>,
    { supervisor, calls }: Connection = this.#context.connections.shared,
  ): Promise<Result> {
    requireHost({ inputRequired, host });
    const { name, callTimeoutMs } = this.#context;
    return routeRequest(
      { supervisor, gate: calls.gate },
      { server: name, what, timeoutMs: timeoutMs ?? callTimeoutMs, queueTimeoutMs, signal, host, caller },
      send,
    );
  }
}

function lastListing<Entry>(server: string, known: RememberedList<Entry> | undefined): ManagedListing<Entry> {
  if (known) return { items: known.items, completeness: 'complete', problems: [], cachedAt: known.savedAt };
  const problems = [`server "${server}" is not running, and nobody has asked it for this list before`];
  return { items: [], completeness: 'unavailable', problems };
}

function withAllowedTools(result: RawResult, supervisor: Supervisor): RawResult {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  return {
    ...result,
    tools: tools.filter((tool: { name?: unknown } | null) => supervisor.allowsTool(String(tool?.name))),
  };
}
