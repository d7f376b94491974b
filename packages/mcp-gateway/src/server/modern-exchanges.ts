import { createMcpHandler, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { RegistryView } from '../views/view.js';
import type { ExchangeEnd } from './answers/exchange-end.js';
import { encodeInTurns } from './answers/json-pieces.js';
import { sizeOf } from './answers/message-size.js';
import { droppedResult, PacedMessages, paceSends } from './answers/paced-messages.js';
import type { Waiting } from './answers/waiting-bytes.js';
import type { CallerTurns } from './caller-turns.js';
import type { ConnectionFactory } from './connection-factory.js';
import type { DirectOutcome } from './direct-calls.js';
import { answerJson, fromResponse, HttpAnswer, idOf, refuse } from './http-answers.js';
import type { HttpAsk } from './http-ask.js';
import { PIECE_BYTES } from './queue-bounds.js';
import { isAgreed } from './requests/header-agreement.js';
import { type PlainCall, plainCallOf } from './requests/plain-call.js';

export interface ModernLimits {
  readonly maxSubscriptions: number;
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  readonly onError: ((error: Error) => void) | undefined;
}

/** A request of the 2026-07-28 revision, with its body read. */
export interface ModernRequest {
  readonly ask: HttpAsk;
  readonly body: object;
  readonly owner: string;
  readonly view: RegistryView;
  readonly end: ExchangeEnd;
  readonly waiting: Waiting;
}

/** What a proxy's log has for a request that was given up before it was answered; nobody reads it. */
const GIVEN_UP = 499;

/** The requests of the 2026-07-28 revision that are being answered right now. */
export class ModernExchanges {
  readonly #connections: ConnectionFactory;
  readonly #limits: ModernLimits;
  readonly #turns: CallerTurns;
  readonly #open = new Set<McpHttpHandler>();
  readonly #calls = new Set<AbortController>();
  #listening = 0;

  constructor(connections: ConnectionFactory, limits: ModernLimits, turns: CallerTurns) {
    this.#connections = connections;
    this.#limits = limits;
    this.#turns = turns;
  }

  async serve(asked: ModernRequest): Promise<HttpAnswer> {
    const { ask, body, owner, view, end, waiting } = asked;
    if (isListen(body) && !this.#admit(end)) {
      const message = `There are as many subscriptions as this server takes, ${this.#limits.maxSubscriptions}; try again later`;
      return refuse(503, message, { 'retry-after': '10' }, { id: idOf(body) });
    }
    const call = plainCallOf(body, 'modern');
    const direct = call && isAgreed(ask, call, view) ? this.#connections.directFor?.(view, owner) : undefined;
    if (call === undefined || direct === undefined) return this.#serve(asked);
    const outcome = await this.#call(ask.signal, (signal) => direct.call(call, signal));
    if (outcome === undefined) return ask.signal.aborted ? new HttpAnswer(GIVEN_UP, null) : refuseAsClosed(call);
    return outcome.kind === 'result'
      ? this.#answerTo(call, outcome.result, waiting)
      : this.#serve(asked, outcome.settle);
  }

  async close(): Promise<void> {
    for (const ended of this.#calls) ended.abort(new Error('The server is closed'));
    await Promise.allSettled(Array.from(this.#open, (handler) => handler.close()));
  }

  /** @returns `undefined` if it was given up, by its client or because the server is closed. */
  async #call(gone: AbortSignal, work: (signal: AbortSignal) => Promise<DirectOutcome>) {
    const ended = new AbortController();
    const onGone = () => ended.abort(gone.reason);
    if (gone.aborted) return undefined;
    gone.addEventListener('abort', onGone);
    this.#calls.add(ended);
    try {
      return await work(ended.signal);
    } catch (error) {
      if (ended.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#calls.delete(ended);
      gone.removeEventListener('abort', onGone);
    }
  }

  /**
   * A handler for each request: its stream of changes is of this one view, and tells nothing of what others may see.
   *
   * @param prepared - What has come of a call already.
   */
  async #serve(
    { ask, body: asked, owner, view, end, waiting }: ModernRequest,
    prepared?: () => Promise<unknown>,
  ): Promise<HttpAnswer> {
    const { maxBodyBytes, keepAliveMs, onError } = this.#limits;
    const body = this.#connections.narrowed?.(asked, owner) ?? asked;
    let isUnknownMethod = false;
    const onUnknownMethod = () => {
      isUnknownMethod = true;
    };
    const serverOf = () => this.#connections.forRequest(view, { owner, onUnknownMethod, prepared });
    const handler = createMcpHandler(() => paced(serverOf(), new PacedMessages(waiting, this.#turns)), {
      legacy: 'reject',
      bus: this.#connections.busFor(view, body, owner),
      maxRequestBodySize: maxBodyBytes,
      keepAliveMs,
      onerror: (error) => onError?.(error),
    });
    this.#open.add(handler);
    end.onOver(() => this.#open.delete(handler));
    const answer = fromResponse(await handler.fetch(ask.toRequest(), { parsedBody: body }));
    return isUnknownMethod ? asNotFound(answer) : answer;
  }

  /** A large result counts before it is serialized: others may end at the same moment. */
  async #answerTo({ id }: PlainCall, result: object, waiting: Waiting): Promise<HttpAnswer> {
    const bytes = sizeOf(result);
    const message = { jsonrpc: '2.0', id, result } as const;
    if (bytes <= PIECE_BYTES) return answerJson(message);
    if (!waiting.hold(bytes)) return answerJson(droppedResult(message));
    const body = await encodeInTurns(message, this.#turns, waiting.caller);
    return new HttpAnswer(200, body, { 'content-type': 'application/json' });
  }

  #admit(end: ExchangeEnd): boolean {
    if (this.#listening >= this.#limits.maxSubscriptions) return false;
    this.#listening++;
    end.onOver(() => this.#listening--);
    return true;
  }
}

/** The library has no place for this but the transport that it makes for the request. */
function paced(server: McpServer, messages: PacedMessages): McpServer {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    paceSends(transport, messages);
    return connect(transport);
  };
  return server;
}

function refuseAsClosed({ id }: PlainCall): HttpAnswer {
  return refuse(503, 'The server is closed; the call may or may not have had its effect', {}, { id });
}

/** The library knows at once of methods that are not there, and takes what turns out later for a result. */
function asNotFound(answer: HttpAnswer): HttpAnswer {
  const isAlone = answer.headers['content-type']?.startsWith('application/json') ?? false;
  return isAlone && answer.status === 200 ? answer.with({ status: 404 }) : answer;
}

export function isListen(body: object): boolean {
  return (body as { readonly method?: unknown }).method === 'subscriptions/listen';
}
