import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { peekTool } from '@x/internal/views';
import type { RegistryView } from '../registry.js';
import type { CallerTurns } from './caller-turns.js';
import { type HttpRequest, HttpResponse, idOf, refuse } from './http-messages.js';
import { type AnswerFacts, ClientPeer, type OnError, type PeerLink } from './methods/client-peer.js';
import type { ClientServer, ClientServers, Hold } from './methods/client-server.js';
import { argumentHeaderFault, type RequestRoute, refusalResponse } from './requests/request-route.js';
import type { ExchangeEnd } from './responses/bounded-response.js';
import { EventStream, PacedMessages, STREAM_HEADERS } from './responses/event-stream.js';
import { formOf, PostResponse } from './responses/post-response.js';
import type { Waiting } from './responses/waiting-bytes.js';

interface ModernLimits {
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly onError: OnError;
  readonly hold: Hold;
}

interface ModernRequest {
  readonly ask: HttpRequest;
  readonly body: object | undefined;
  readonly route: Exclude<RequestRoute, { readonly kind: 'session' }>;
  readonly owner: string;
  readonly view: RegistryView;
  readonly end: ExchangeEnd;
  readonly waiting: Waiting;
}

export class ModernExchanges {
  readonly #servers: ClientServers;
  readonly #limits: ModernLimits;
  readonly #turns: CallerTurns;
  readonly #open = new Set<ModernExchange>();
  #listening = 0;

  constructor(servers: ClientServers, limits: ModernLimits, turns: CallerTurns) {
    this.#servers = servers;
    this.#limits = limits;
    this.#turns = turns;
  }

  async serve(asked: ModernRequest): Promise<HttpResponse> {
    const { ask, body, route, owner, view, end } = asked;
    if (route.kind === 'refusal') return this.#refuse(route, body);
    const { message } = route;
    if (isListen(message) && !this.#admit(end)) {
      const full = `The server has ${this.#limits.maxSubscriptions} subscriptions, which is its limit; retry later`;
      return refuse(503, full, { 'retry-after': '10' }, { id: idOf(message) });
    }
    const error = headerFault(ask, message, view);
    if (error !== undefined) return this.#refuse({ error, status: 400 }, body);
    const server = this.#servers.forRequest(view, owner, this.#limits.hold);
    if ('id' in message) return this.#exchange(message, server, asked);
    new ClientPeer(server, NO_RESPONSES, this.#limits.onError).receive(message);
    return new HttpResponse(202, null);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#open, (exchange) => exchange.end()));
  }

  #exchange(
    message: JSONRPCRequest,
    server: ReturnType<ClientServers['forRequest']>,
    { ask, end, waiting }: ModernRequest,
  ): Promise<HttpResponse> {
    const { keepAliveMs, onError } = this.#limits;
    const exchange = new ModernExchange(server, message.id, { waiting, turns: this.#turns, keepAliveMs, onError });
    this.#open.add(exchange);
    end.onOver(() => this.#open.delete(exchange));
    return exchange.serve(message, ask);
  }

  #refuse({ error, status }: Pick<Refusal, 'error' | 'status'>, body: unknown): HttpResponse {
    this.#limits.onError?.(new Error(`Rejected inbound request: ${error.message}`));
    return refusalResponse(error, { status, body });
  }

  #admit(end: ExchangeEnd): boolean {
    if (this.#listening >= this.#limits.maxSubscriptions) return false;
    this.#listening++;
    end.onOver(() => this.#listening--);
    return true;
  }
}

type Refusal = Extract<RequestRoute, { readonly kind: 'refusal' }>;

/** A notification has no response. */
const NO_RESPONSES = { send: () => undefined, respond: () => undefined };

function headerFault(ask: HttpRequest, { method, params }: JSONRPCRequest | JSONRPCNotification, view: RegistryView) {
  if (method !== 'tools/call' || !isRecord(params) || typeof params.name !== 'string') return undefined;
  return argumentHeaderFault(ask, peekTool(view, params.name)?.inputSchema, params.arguments);
}

export function isListen(body: object): boolean {
  return (body as { readonly method?: unknown }).method === 'subscriptions/listen';
}

interface ExchangeOptions {
  readonly waiting: Waiting;
  readonly turns: CallerTurns;
  readonly keepAliveMs: number;
  readonly onError: OnError;
}

/** Nginx's status for a client that disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One request of revision 2026-07-28 over HTTP. The response is JSON, or a stream if a message precedes the result or the
 * client lists streams first.
 */
class ModernExchange implements PeerLink {
  readonly transport = 'http';
  readonly #id: RequestId;
  readonly #peer: ClientPeer;
  readonly #answer: PostResponse;
  #prefersStream = false;
  #stream: EventStream | undefined;

  constructor(server: ClientServer, id: RequestId, { waiting, turns, keepAliveMs, onError }: ExchangeOptions) {
    this.#id = id;
    this.#peer = new ClientPeer(server, this, onError);
    this.#answer = new PostResponse([id], {
      form: 'either',
      headers: {},
      isBatch: false,
      waiting,
      turns,
      openStream: () => {
        const onOver = () => this.#peer.close(new Error('The client has gone'));
        this.#stream = new EventStream({ keepAliveMs, messages: new PacedMessages(waiting, turns), onOver });
        return new HttpResponse(200, this.#stream.body, STREAM_HEADERS);
      },
      write: (message) => this.#stream?.send(message),
      onOver: () => this.#stream?.end(),
    });
  }

  async serve(message: JSONRPCRequest, ask: HttpRequest): Promise<HttpResponse> {
    const gone = ask.signal;
    if (gone.aborted) return new HttpResponse(CLIENT_CLOSED_REQUEST, null);
    const onGone = () => this.#abort(gone.reason, new HttpResponse(CLIENT_CLOSED_REQUEST, null));
    gone.addEventListener('abort', onGone);
    this.#prefersStream = formOf(ask.header('accept')) === 'stream';
    this.#peer.receive(message, (name) => ask.header(name));
    const answer = await this.#answer.answer;
    if (this.#stream === undefined) gone.removeEventListener('abort', onGone);
    return answer;
  }

  send(message: JSONRPCMessage): Promise<void> | void {
    return this.#answer.send(message);
  }

  respond(id: RequestId, message: JSONRPCMessage, { isUnknownMethod }: AnswerFacts): Promise<void> | void {
    const status = statusOf(message, isUnknownMethod);
    // A stream cannot have another status.
    if (this.#prefersStream && status === 200) this.#answer.becomeStream();
    return this.#answer.settle(id, message, status);
  }

  /** At close, subscriptions end with a result, and other requests are aborted. */
  async end(): Promise<void> {
    await this.#peer.endStreams();
    const message = 'The server is closed; the call may or may not have had its effect';
    this.#abort(new Error('The server is closed'), refuse(503, message, {}, { id: this.#id }));
  }

  #abort(reason: Error, answer: HttpResponse): void {
    this.#peer.close(reason);
    this.#answer.end(answer);
  }
}

function statusOf(message: JSONRPCMessage, isUnknownMethod: boolean): number {
  if (isUnknownMethod) return 404;
  const code = 'error' in message ? message.error.code : undefined;
  return code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
}
