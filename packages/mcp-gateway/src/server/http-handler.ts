import type { OptionRows, Resolved } from '@x/internal/options';
import type { RegistryView } from '../registry.js';
import type { ServingPolicy } from '../serving/serving-policy.js';
import { createSurface } from '../serving/surface.js';
import { CallerTurns } from './caller-turns.js';
import { DRAINING, type DrainOptions, RequestsInProgress } from './drain.js';
import {
  type DirectHandler,
  fromFetchRequest,
  type HttpRequest,
  HttpResponse,
  idOf,
  RESPOND,
  refuse,
} from './http-messages.js';
import type { ClientServers } from './methods/client-server.js';
import { isListen, ModernExchanges } from './modern-exchanges.js';
import type { Caller, CallerCheck } from './requests/caller.js';
import {
  AT_LIMIT,
  CallerShares,
  type HttpLimitOptions,
  type HttpLimits,
  limitRows,
  resolveHttpLimits,
  Share,
} from './requests/http-limits.js';
import {
  type HealthOptions,
  HealthPath,
  healthRows,
  type MetadataOptions,
  MetadataPath,
  metadataRows,
} from './requests/public-paths.js';
import { readBody } from './requests/read-body.js';
import {
  type GuardOptions,
  guardRows,
  isPreflight,
  preflightResponse,
  RequestGuard,
  withOrigin,
} from './requests/request-guard.js';
import { type RequestRoute, routeOf } from './requests/request-route.js';
import { ExchangeEnd, toResponse, withBounds } from './responses/bounded-response.js';
import { type Waiting, WaitingBytes, type WaitingState } from './responses/waiting-bytes.js';
import { HttpSessions } from './sessions/http-sessions.js';

/** Options of a handler, except for access and content. */
export interface HttpHandlerOptions extends GuardOptions, MetadataOptions, HealthOptions, HttpLimitOptions {}

export const handlerRows = {
  ...guardRows,
  ...metadataRows,
  ...healthRows,
  ...limitRows,
} as const satisfies OptionRows<HttpHandlerOptions>;

/** Returns the view of a caller, for each request. `undefined`: the caller gets 403. */
export type ViewOf<Who extends Caller = Caller> = (caller: Who) => RegistryView | undefined;

interface HandlerEntrances extends DirectHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly drain: (options?: DrainOptions) => Promise<boolean>;
  readonly waiting: () => WaitingState;
}

interface RequestCheck {
  refusal(ask: HttpRequest, caller: string): HttpResponse | undefined;
}

interface HandlerParts {
  readonly policy: ServingPolicy;
  readonly servers: ClientServers;
  /** Runs for requests of admitted callers. Default: none. */
  readonly check?: RequestCheck | undefined;
}

/** Admits callers and enforces the bounds. `servers` creates the responses. */
export class HttpHandler {
  readonly #viewOf: ViewOf;
  readonly #callers: CallerCheck;
  readonly #guard: RequestGuard;
  readonly #policy: ServingPolicy;
  readonly #check: RequestCheck | undefined;
  readonly #limits: HttpLimits;
  readonly #sessions: HttpSessions;
  readonly #modern: ModernExchanges;
  readonly #servers: ClientServers;
  readonly #shares: CallerShares;
  readonly #waiting: WaitingBytes;
  readonly #turns = new CallerTurns();
  readonly #requests = new RequestsInProgress();
  readonly #metadata: MetadataPath;
  readonly #health: HealthPath;
  #closing: Promise<void> | undefined;

  constructor(
    viewOf: ViewOf,
    callers: CallerCheck,
    { policy, servers, check }: HandlerParts,
    options: Resolved<HttpHandlerOptions, typeof handlerRows>,
  ) {
    this.#viewOf = viewOf;
    this.#callers = callers;
    this.#guard = new RequestGuard(options);
    this.#policy = policy;
    this.#check = check;
    this.#limits = resolveHttpLimits(options, { hasOneCaller: callers.hasOneCaller });
    this.#shares = new CallerShares(this.#limits.perCaller);
    this.#waiting = new WaitingBytes(this.#limits.waiting);
    const shared = { shares: this.#shares, waiting: this.#waiting, turns: this.#turns, onError: policy.onError };
    this.#sessions = new HttpSessions(servers, { limits: this.#limits, ...shared });
    const hold = () => this.#requests.begin();
    this.#modern = new ModernExchanges(servers, { ...this.#limits, hold, onError: policy.onError }, this.#turns);
    this.#servers = servers;
    this.#metadata = new MetadataPath(options);
    this.#health = new HealthPath(options);
  }

  async fetch(request: Request): Promise<Response> {
    return toResponse(await this.answer(fromFetchRequest(request)), this.#limits.queue);
  }

  /** Never rejects. */
  async answer(ask: HttpRequest): Promise<HttpResponse> {
    try {
      const refusal = this.#probed(ask) ?? this.#guard.refusal(ask);
      if (refusal !== undefined) return refusal;
      return withOrigin(isPreflight(ask) ? preflightResponse(ask) : await this.#serve(ask), ask);
    } catch (error) {
      this.#policy.onError?.(error instanceof Error ? error : new Error(String(error)));
      return refuse(500, 'The server failed to respond', {}, { code: -32_603 });
    }
  }

  get entrances(): HandlerEntrances {
    return {
      fetch: (request) => this.fetch(request),
      [RESPOND]: (ask) => this.answer(ask),
      waiting: () => this.#waiting.state,
      drain: (options) => this.#requests.drain(options),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#modern.close();
    this.#sessions.close();
  }

  /** Before the guard: a probe has the bare address as its `Host`, and its response is the same for everyone. */
  #probed(ask: HttpRequest): HttpResponse | undefined {
    return this.#health.answer(ask, { isOpen: this.#closing === undefined && !this.#requests.isDraining });
  }

  async #serve(ask: HttpRequest): Promise<HttpResponse> {
    const open = this.#metadata.answer(ask);
    if (open !== undefined) return open;
    if (!['POST', 'GET', 'DELETE'].includes(ask.method)) {
      return refuse(405, 'Only POST, GET and DELETE are supported here', { allow: 'POST, GET, DELETE' });
    }
    const { onError } = this.#policy;
    const answers = { metadataUrl: this.#metadata.url, onError };
    const caller = await this.#callers.identify(ask, answers);
    if (caller instanceof HttpResponse) return caller;
    const refusal = this.#check?.refusal(ask, caller.id);
    if (refusal !== undefined) return refusal;
    const share = new Share(this.#shares, caller.id);
    const waiting = this.#waiting.open(caller.id);
    const end = new ExchangeEnd();
    end.onOver(() => {
      share.release();
      waiting.close();
    });
    end.onDropped((reason) => onError?.(reason));
    try {
      const admitted = await this.#admit(ask, { caller, share, waiting });
      // No await from here until everything opened is known to close().
      if (admitted instanceof HttpResponse || this.#closing !== undefined) {
        end.over(false);
        return admitted instanceof HttpResponse ? admitted : refuse(503, 'The server is closed');
      }
      const { route, view, body, requests } = admitted;
      if (body !== undefined && requests > 0) {
        if (this.#requests.isDraining && !this.#servers.continues?.(body)) {
          end.over(false);
          return refuse(503, DRAINING, { 'retry-after': '5' }, { id: idOf(body) });
        }
        if (!isListen(body)) this.#hold(ask, end);
      }
      const lease = this.#callers.lease(ask, {
        caller,
        lasts: ask.method === 'GET' || (route.kind === 'exchange' && isListen(route.message)),
        isServed: (again) => this.#viewOf(again) !== undefined,
        onRevoked: (reason) => end.dropped(reason),
        answers,
      });
      if (lease !== undefined) end.onOver(() => lease.end());
      const known = { ask: lease?.ask ?? ask, owner: caller.id, view, end, waiting, body };
      const serving = route.kind === 'session' ? this.#sessions.serve(known) : this.#modern.serve({ ...known, route });
      const answer = await (lease?.guard(serving) ?? serving);
      const watch = {
        onEnd: (isTaken: boolean) => end.over(isTaken),
        onDropped: (reason: Error) => end.dropped(reason),
        waiting,
        turns: this.#turns,
      };
      return withBounds(answer, { bounds: this.#limits.queue, id: idOf(body) }, watch);
    } catch (error) {
      end.over(false);
      throw error;
    }
  }

  /** Keeps a drain waiting until the response is sent. */
  #hold(ask: HttpRequest, end: ExchangeEnd): void {
    const release = this.#requests.begin();
    if (ask.onSent === undefined) end.onOver(release);
    else ask.onSent(release);
  }

  async #admit(
    ask: HttpRequest,
    { caller, share, waiting }: { readonly caller: Caller; readonly share: Share; readonly waiting: Waiting },
  ): Promise<Admitted | HttpResponse> {
    const count = (bytes: number) => share.acquire('bodyBytes', bytes);
    const read = ask.method === 'POST' ? await readBody(ask, this.#limits, count) : undefined;
    if (read instanceof HttpResponse) return read;
    const body = read?.value;
    const requests = requestsIn(body);
    const turn = requests > 0 ? this.#turns.acquire(caller.id) : undefined;
    if (turn !== undefined) await turn;
    const chosen = this.#viewOf(caller);
    if (chosen === undefined) return refuse(403, 'This caller has no access');
    const view = createSurface(chosen, this.#policy);
    const route: RequestRoute = body === undefined ? { kind: 'session' } : routeOf(ask, body);
    if (!acquireShare(share, { method: ask.method, body, requests, route })) {
      return refuse(429, AT_LIMIT, { 'retry-after': '1' }, { id: idOf(body) });
    }
    if (requests > 0 && !waiting.hasRoom) {
      const message = 'Too many bytes are pending for this caller; read the responses, or retry later';
      return refuse(429, message, { 'retry-after': '1' }, { id: idOf(body) });
    }
    return { route, view, body, requests };
  }
}

interface Admitted {
  readonly route: RequestRoute;
  readonly view: RegistryView;
  readonly body: object | undefined;
  /** Number of requests in the body. */
  readonly requests: number;
}

function requestsIn(body: object | undefined): number {
  return Array.isArray(body) ? body.filter(isRequest).length : Number(isRequest(body));
}

function isRequest(message: unknown): boolean {
  const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  return id !== undefined && method !== undefined;
}

/** Notifications and responses are free: callers end their requests with them. */
function acquireShare(
  share: Share,
  { method, body, requests, route }: Pick<Admitted, 'body' | 'requests' | 'route'> & { readonly method: string },
): boolean {
  if (method === 'GET' || (route.kind !== 'session' && body !== undefined && isListen(body)))
    return share.acquire('streams');
  return requests === 0 || share.acquire('requests', requests);
}
