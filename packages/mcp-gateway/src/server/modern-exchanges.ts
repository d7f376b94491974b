import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { peekTool } from '@x/internal/views';
import type { RegistryView } from '../registry.js';
import type { ExchangeEnd } from './answers/exchange-end.js';
import type { Waiting } from './answers/waiting-bytes.js';
import type { CallerTurns } from './caller-turns.js';
import type { ClientServers } from './client-servers.js';
import { HttpAnswer, idOf, refuse } from './http-answers.js';
import type { HttpAsk } from './http-ask.js';
import { ClientPeer, type OnError } from './methods/client-peer.js';
import { ModernExchange } from './modern-exchange.js';
import { argumentHeaderFault } from './requests/header-faults.js';
import { answerRefusal, type RequestRoute } from './requests/request-route.js';

export interface ModernLimits {
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly onError: OnError;
}

export interface ModernRequest {
  readonly ask: HttpAsk;
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

  async serve(asked: ModernRequest): Promise<HttpAnswer> {
    const { ask, body, route, owner, view, end } = asked;
    if (route.kind === 'refusal') return this.#refuse(route, body);
    const { message } = route;
    if (isListen(message) && !this.#admit(end)) {
      const full = `There are as many subscriptions as this server takes, ${this.#limits.maxSubscriptions}; try again later`;
      return refuse(503, full, { 'retry-after': '10' }, { id: idOf(message) });
    }
    const error = headerFault(ask, message, view);
    if (error !== undefined) return this.#refuse({ error, status: 400 }, body);
    const server = this.#servers.forRequest(view, owner);
    if ('id' in message) return this.#exchange(message, server, asked);
    new ClientPeer(server, NO_WAY_BACK, this.#limits.onError).receive(message);
    return new HttpAnswer(202, null);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#open, (exchange) => exchange.end()));
  }

  #exchange(
    message: JSONRPCRequest,
    server: ReturnType<ClientServers['forRequest']>,
    { ask, end, waiting }: ModernRequest,
  ): Promise<HttpAnswer> {
    const { keepAliveMs, onError } = this.#limits;
    const exchange = new ModernExchange(server, message.id, { waiting, turns: this.#turns, keepAliveMs, onError });
    this.#open.add(exchange);
    end.onOver(() => this.#open.delete(exchange));
    return exchange.serve(message, ask.signal);
  }

  #refuse({ error, status }: Pick<Refusal, 'error' | 'status'>, body: unknown): HttpAnswer {
    this.#limits.onError?.(new Error(`Rejected inbound request: ${error.message}`));
    return answerRefusal(error, { status, body });
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
const NO_WAY_BACK = { send: () => undefined, respond: () => undefined };

function headerFault(ask: HttpAsk, { method, params }: JSONRPCRequest | JSONRPCNotification, view: RegistryView) {
  if (method !== 'tools/call' || !isRecord(params) || typeof params.name !== 'string') return undefined;
  return argumentHeaderFault(ask, peekTool(view, params.name)?.inputSchema, params.arguments);
}

export function isListen(body: object): boolean {
  return (body as { readonly method?: unknown }).method === 'subscriptions/listen';
}
