import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { RegistryView } from '../view.js';
import type { ConnectionFactory } from './connection-factory.js';
import type { ExchangeEnd } from './exchange-end.js';
import { idOf, refuse } from './http-answers.js';

export interface ModernLimits {
  readonly maxSubscriptions: number;
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  readonly onError: ((error: Error) => void) | undefined;
}

/** A request of the 2026-07-28 revision, with its body read. */
export interface ModernRequest {
  readonly request: Request;
  readonly body: object;
  readonly owner: string;
  readonly view: RegistryView;
  readonly end: ExchangeEnd;
}

/** The requests of the 2026-07-28 revision that are being answered right now. */
export class ModernExchanges {
  readonly #connections: ConnectionFactory;
  readonly #limits: ModernLimits;
  readonly #open = new Set<McpHttpHandler>();
  #listening = 0;

  constructor(connections: ConnectionFactory, limits: ModernLimits) {
    this.#connections = connections;
    this.#limits = limits;
  }

  /** A handler for each request: its stream of changes is of this one view, and tells nothing of what others may see. */
  async serve({ request, body, owner, view, end }: ModernRequest): Promise<Response> {
    const { maxSubscriptions, maxBodyBytes, keepAliveMs, onError } = this.#limits;
    if (isListen(body) && !this.#admit(end)) {
      const message = `There are as many subscriptions as this server takes, ${maxSubscriptions}; try again later`;
      return refuse(503, message, { 'retry-after': '10' }, { id: idOf(body) });
    }
    let isUnknownMethod = false;
    const onUnknownMethod = () => {
      isUnknownMethod = true;
    };
    const handler = createMcpHandler(() => this.#connections.forRequest(view, { owner, onUnknownMethod }), {
      legacy: 'reject',
      bus: this.#connections.busFor(view, body),
      maxRequestBodySize: maxBodyBytes,
      keepAliveMs,
      onerror: (error) => onError?.(error),
    });
    this.#open.add(handler);
    end.onOver(() => this.#open.delete(handler));
    const answer = await handler.fetch(request, { parsedBody: body });
    return isUnknownMethod ? asNotFound(answer) : answer;
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#open, (handler) => handler.close()));
  }

  #admit(end: ExchangeEnd): boolean {
    if (this.#listening >= this.#limits.maxSubscriptions) return false;
    this.#listening++;
    end.onOver(() => this.#listening--);
    return true;
  }
}

/** The library knows at once of methods that are not there, and takes what turns out later for a result. */
function asNotFound(answer: Response): Response {
  const isAlone = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  return isAlone && answer.ok ? new Response(answer.body, { status: 404, headers: answer.headers }) : answer;
}

export function isListen(body: object): boolean {
  return (body as { readonly method?: unknown }).method === 'subscriptions/listen';
}
