import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { createSurface } from '../serving/surface.js';
import type { RegistryView } from '../view.js';
import { type Caller, CallerCheck, type CallerOptions } from './caller.js';
import { type ConnectionFactory, registryConnections } from './connection-factory.js';
import { answerPreflight, isPreflight, withOrigin } from './cross-origin.js';
import { refuse } from './http-answers.js';
import { type HttpLimitOptions, type HttpLimits, resolveHttpLimits } from './http-limits.js';
import { HttpSessions } from './http-sessions.js';
import { withEnd } from './open-response.js';
import { type GuardOptions, RequestGuard } from './request-guard.js';
import { resolveServing, type ServingOptions, type ServingPolicy } from './serving-policy.js';
import { isWhole } from './whole-registry.js';

export interface RegistryHandlerOptions<Who extends Caller = Caller>
  extends ServingOptions,
    CallerOptions<Who>,
    GuardOptions,
    HttpLimitOptions {}

/** Chooses what a caller is shown, for each request anew. `undefined` for somebody to whom nothing is served. */
export type ViewOf<Who extends Caller = Caller> = (caller: Who) => RegistryView | undefined;

/** A registry on HTTP. */
export interface RegistryHandler extends AsyncDisposable {
  /** Answers one request. Never rejects. May be passed on without its object. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends all sessions and streams, aborts calls under way, answers 503 from then on. May be called twice. */
  readonly close: () => Promise<void>;
}

/**
 * Serves a view over Streamable HTTP, to clients of the 2026-07-28 revision and of those before it, at whatever path it is
 * put. For Node's own server, wrap it with `toNodeListener`.
 *
 * A request has to come to an expected host name, from no web page or an expected one, and bring a token, on loopback too.
 * Bodies are bounded.
 *
 * @param view - What is served, or a function that chooses it by who asks.
 * @throws {TypeError} naming the option that is out of its bounds, or if it is not said who may send requests.
 */
export function createRegistryHandler<Who extends Caller = Caller>(
  view: RegistryView | ViewOf<Who>,
  options: RegistryHandlerOptions<Who>,
): RegistryHandler {
  // Callers come from the options' own verifyToken, so they are what the function takes.
  const viewOf: ViewOf = typeof view === 'function' ? (view as ViewOf) : () => view;
  const callers = new CallerCheck(options as CallerOptions);
  const isPublic = callers.isOpen && typeof view !== 'function' && isWhole(view);
  const policy = resolveServing(options);
  const connections = registryConnections(policy, { cacheScope: isPublic ? 'public' : 'private' });
  const handler = new HttpHandler(viewOf, callers, { policy, connections }, options);
  const close = () => handler.close();
  return { fetch: (request) => handler.fetch(request), close, [Symbol.asyncDispose]: close };
}

/** Lets through who may ask, and keeps the bounds; what answers is made by `connections`. */
export class HttpHandler {
  readonly #viewOf: ViewOf;
  readonly #callers: CallerCheck;
  readonly #connections: ConnectionFactory;
  readonly #guard: RequestGuard;
  readonly #policy: ServingPolicy;
  readonly #limits: HttpLimits;
  readonly #sessions: HttpSessions;
  /** Those that are answering a request of the 2026-07-28 revision right now, and whether it is a subscription. */
  readonly #open = new Map<McpHttpHandler, { readonly isListening: boolean }>();
  #closing: Promise<void> | undefined;

  constructor(
    viewOf: ViewOf,
    callers: CallerCheck,
    { policy, connections }: { readonly policy: ServingPolicy; readonly connections: ConnectionFactory },
    options: GuardOptions & HttpLimitOptions,
  ) {
    this.#viewOf = viewOf;
    this.#callers = callers;
    this.#connections = connections;
    this.#guard = new RequestGuard(options);
    this.#policy = policy;
    this.#limits = resolveHttpLimits(options);
    this.#sessions = new HttpSessions(connections, this.#limits);
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const refusal = this.#guard.refusal(request);
      if (refusal !== undefined) return refusal;
      return withOrigin(isPreflight(request) ? answerPreflight(request) : await this.#serve(request), request);
    } catch (error) {
      this.#policy.onError?.(error instanceof Error ? error : new Error(String(error)));
      return refuse(500, 'The server failed to answer', {}, -32_603);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const open = Array.from(this.#open.keys(), (handler) => handler.close());
    await Promise.allSettled([...open, this.#sessions.close()]);
  }

  async #serve(request: Request): Promise<Response> {
    if (!['POST', 'GET', 'DELETE'].includes(request.method)) {
      return refuse(405, 'Only POST, GET and DELETE are answered here', { allow: 'POST, GET, DELETE' });
    }
    const caller = await this.#callers.identify(request);
    if (caller instanceof Response) return caller;
    const body = request.method === 'POST' ? await this.#readBody(request) : undefined;
    if (body instanceof Response) return body;

    const chosen = this.#viewOf(caller);
    if (chosen === undefined) return refuse(403, 'Nothing is served to this caller');
    const view = createSurface(chosen, this.#policy.surface);
    const isModern = body !== undefined && !(await isLegacyRequest(request, body.value));
    // Nothing is waited for from here until what is opened is known to close().
    if (this.#closing !== undefined) return refuse(503, 'The server is closed');
    return isModern
      ? this.#serveModern(request, body.value, view)
      : this.#sessions.serve({ request, body: body?.value, owner: caller.id, view });
  }

  async #readBody(request: Request): Promise<{ readonly value: object } | Response> {
    if (!isJsonContentType(request.headers.get('content-type')))
      return refuse(415, 'Content-Type must be application/json');
    const read = await readRequestBody(request, this.#limits.maxBodyBytes);
    if (read.tooLarge) return refuse(413, `The body is larger than ${this.#limits.maxBodyBytes} bytes`);
    try {
      const value: unknown = JSON.parse(read.text);
      if (typeof value === 'object' && value !== null) return { value };
    } catch {
      // Answered below, as any other text that is no message.
    }
    return refuse(400, 'The body is no JSON-RPC message', {}, -32_700);
  }

  /** A handler for each request: its stream of changes is of this one view, and tells nothing of what others may see. */
  async #serveModern(request: Request, body: object, view: RegistryView): Promise<Response> {
    const isListening = (body as { method?: unknown }).method === 'subscriptions/listen';
    const { maxSubscriptions, maxBodyBytes, keepAliveMs } = this.#limits;
    const listening = Array.from(this.#open.values()).filter((exchange) => exchange.isListening).length;
    const handler = createMcpHandler(() => this.#connections.forRequest(view), {
      legacy: 'reject',
      bus: this.#connections.busFor(view, body),
      maxSubscriptions: Math.max(0, maxSubscriptions - listening),
      maxRequestBodySize: maxBodyBytes,
      keepAliveMs,
      onerror: (error) => this.#policy.onError?.(error),
    });
    this.#open.set(handler, { isListening });
    const end = () => void this.#open.delete(handler);
    try {
      return withEnd(await handler.fetch(request, { parsedBody: body }), end);
    } catch (error) {
      end();
      throw error;
    }
  }
}
