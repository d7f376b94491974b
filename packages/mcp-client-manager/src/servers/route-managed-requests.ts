import { checkOption } from '@x/internal/options';
import type { KnownLists } from '../catalog-cache/known-lists.js';
import type { RememberedList } from '../catalog-cache/server-memory.js';
import { isManagerError, ManagerError } from '../errors.js';
import type { RequestOptions } from '../routing/call-options.js';
import type { RequestSpec } from '../routing/request-context.js';
import type { ResourceSubscriptions } from '../routing/resource-subscriptions.js';
import type { PagedListing } from '../session/lists/list-pages.js';
import type { ServerLists } from '../session/lists/server-lists.js';
import { inBackground } from '../session/peer/in-flight.js';
import type { Params, RawResult } from '../session/peer/json-rpc.js';
import type { Session } from '../session/session.js';
import { readCallParams } from '../session/tools/call-params.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import type { CallerConnections } from './caller-connections.js';
import type { ListOptions, ManagedListing, ManagedRequests, PassThroughOptions } from './managed-requests.js';

const text = { kind: 'text' } as const;

interface ManagedRequestsContext {
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly connections: CallerConnections;
  readonly subscriptions: ResourceSubscriptions;
  readonly lists: KnownLists;
}

export function managedRequests(context: ManagedRequestsContext): ManagedRequests {
  const { supervisor, connections, subscriptions } = context;
  const routes = new RequestRoutes(context);
  return {
    listResources: (options = {}) => routes.list('resources/list', options),
    listResourceTemplates: (options = {}) => routes.list('resources/templates/list', options),
    listPrompts: (options = {}) => routes.list('prompts/list', options),
    readResource: async (uri, options = {}) => {
      checkOption('uri', text, uri);
      return routes.checked('contents', 'resources/read', { uri }, options);
    },
    getPrompt: async (name, args = {}, options = {}) => {
      checkOption('name', text, name);
      return routes.checked('messages', 'prompts/get', { name, arguments: args }, options);
    },
    complete: ({ ref, argument, context: settled }, options = {}) =>
      routes.checked(
        'completion',
        'completion/complete',
        { ref, argument, ...(settled && { context: settled }) },
        options,
      ),
    subscribeResource: async (uri, options = {}) => {
      checkOption('uri', text, uri);
      await routes.subscribe(uri, options);
    },
    unsubscribeResource: async (uri, options = {}) => {
      subscriptions.delete(uri);
      const { readySession } = supervisor;
      if (readySession) await routes.request('resources/unsubscribe', { uri }, options);
    },
    setLogLevel: async (level, options = {}) => {
      await routes.request('logging/setLevel', { level }, options);
      connections.setLogLevel(level);
    },
    request: (method, params = {}, options = {}) => routes.passThrough(method, params, options),
    notifyRootsChanged: () => routes.notifyAll((session) => session.notifyRootsChanged()),
    notify: (method, params = {}) => routes.notifyAll((session) => session.notify(method, params)),
  };
}

/** Methods on the shared connection: the result is the same for all callers, or the effect is shared. */
const sharedMethods: ReadonlySet<string> = new Set([
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

  request(method: string, params: Params, options: PassThroughOptions, read?: RequestSpec['read']): Promise<RawResult> {
    const { connections } = this.#context;
    try {
      const isShared = sharedMethods.has(method);
      const { requests } = isShared ? connections.shared : connections.for(options);
      return requests.request({ method, params, read, isShared }, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async notifyAll(send: (session: Session) => Promise<void>): Promise<void> {
    await Promise.all(
      this.#context.connections
        .all()
        .flatMap(({ eras }) => eras.ready())
        .map(send),
    );
  }

  /** Hides tools that the spec excludes here, too. */
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

  /** The result must have an object or a list under `key`. */
  checked<Result>(key: string, method: string, params: Params, options: RequestOptions): Promise<Result> {
    const read = (result: RawResult): RawResult => {
      if (typeof result[key] === 'object' && result[key] !== null) return result;
      const { name } = this.#context;
      const message = `Server "${name}" answered "${method}" with a result that has no "${key}".`;
      throw new ManagerError('server-error', message, { server: name });
    };
    return this.request(method, params, options, read) as Promise<RawResult & Result>;
  }

  async list<Method extends keyof ServerLists>(
    method: Method,
    { wake = true, ...options }: ListOptions,
  ): Promise<ManagedListing<ServerLists[Method]>> {
    const { name, supervisor, lists, connections } = this.#context;
    options.signal?.throwIfAborted();
    if (!wake && !supervisor.readySession) return lastListing(name, lists.recall(method));
    const spec: RequestSpec = {
      method,
      params: {},
      isShared: true,
      send: (session, request) =>
        inBackground(request, async (signal) => ({
          ...(await session.listAll(method, { signal, handler: request.handler })),
        })),
    };
    const answer: unknown = await connections.shared.requests.request(spec, options);
    const { cause, ...listing } = answer as PagedListing<ServerLists[Method]>;
    if (listing.completeness === 'complete') lists.remember(method, listing.items);
    if (listing.completeness !== 'unavailable') return listing;
    if (isManagerError(cause) && cause.code === 'auth-required') throw cause;
    const message = `Server "${name}" did not answer "${method}": ${listing.problems.join('; ')}`;
    throw new ManagerError('server-error', message, { server: name, cause });
  }

  async subscribe(uri: string, options: RequestOptions): Promise<void> {
    const { connections, subscriptions } = this.#context;
    const method = 'resources/subscribe';
    const spec: RequestSpec = {
      method,
      params: { uri },
      isShared: true,
      send: (session, request) =>
        inBackground(request, async (signal) => {
          const { meta, handler, wantsProgress } = request;
          const onProgress = wantsProgress ? request.onProgress.bind(request) : undefined;
          const result = await session.request(method, { uri }, { signal, meta, handler, onProgress });
          subscriptions.add(uri, session);
          return result;
        }),
    };
    await connections.shared.requests.request(spec, options);
  }
}

function lastListing<Entry>(server: string, known: RememberedList<Entry> | undefined): ManagedListing<Entry> {
  if (known) return { items: known.items, completeness: 'complete', problems: [], cachedAt: known.savedAt };
  const problems = [`server "${server}" is not running, and this list was never requested`];
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
