import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { onAbort } from '@x/internal/async';
import type { Operation, PeerFacts, ServerRequest } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { envelopeError } from './client-messages.js';
import { ClientObserver, type HeaderOf } from './client-observer.js';
import { type ClientRequest, type Fields, type SortedParams, sortParams, withoutEnvelope } from './client-request.js';
import { type ClientServer, type MethodRow, rowFor } from './client-server.js';
import { protocolMethods } from './protocol-methods.js';
import { methodNotFound, rpcError, sentResult, wrongParams } from './results.js';

/** Both methods reject if the message cannot be sent. */
export interface PeerLink {
  /** Default: unknown. */
  readonly transport?: PeerFacts['transport'] | undefined;
  readonly sessionId?: string | undefined;
  send(message: JSONRPCMessage, about?: RequestId): Promise<void> | void;
  /** Ends the stream of a request whose client can return for the rest. Default: does nothing. */
  pause?(about: RequestId): void;
  respond(id: RequestId, message: JSONRPCMessage, facts: AnswerFacts): Promise<void> | void;
}

export interface AnswerFacts {
  readonly isUnknownMethod: boolean;
}

export type OnError = ((error: Error) => void) | undefined;

/** The server's end of one JSON-RPC connection, for every transport and revision. */
export class ClientPeer {
  readonly server: ClientServer;
  readonly #link: PeerLink;
  readonly #onError: OnError;
  readonly #observer: ClientObserver | undefined;
  readonly #inProgress = new Map<RequestId, AbortController>();
  #pending: PendingRequests | undefined;
  /** Subscriptions in progress. Not by id, since a client may reuse the id of a cancelled one. */
  #streams: Set<Promise<void>> | undefined;

  constructor(server: ClientServer, link: PeerLink, onError?: OnError) {
    this.server = server;
    this.#link = link;
    this.#onError = onError;
    const { telemetry } = server.introduction;
    this.#observer = telemetry && new ClientObserver(telemetry, server, link);
    server.connect((method, params) => void this.#notify(method, params).catch((error) => this.#onError?.(error)));
  }

  /** @returns For a request that is served: settles when its response is sent, or it was cancelled. Never rejects. */
  receive(message: JSONRPCMessage, header?: HeaderOf): Promise<void> | undefined {
    if (!('method' in message)) {
      // Omits the client's text, which may contain user input.
      if (!this.#pending?.settle(message)) this.#report('Received a response for an unknown message ID');
    } else if ('id' in message) {
      if (this.#inProgress.has(message.id)) {
        this.#refuseDuplicate(message.id);
        return undefined;
      }
      const served = this.#serve(message, header).catch((cause) =>
        this.#report(`Failed to respond: ${messageOf(cause)}`),
      );
      if (this.server.streams?.has(message.id)) {
        this.#streams ??= new Set();
        const streams = this.#streams.add(served);
        void served.then(() => streams.delete(served));
      }
      return served;
    } else this.#receiveNotification(message);
    return undefined;
  }

  /** Ends the client's subscriptions, as the protocol requires of a server that closes. */
  async endStreams(): Promise<void> {
    for (const end of this.server.streams?.values() ?? []) end();
    await Promise.all(this.#streams ?? []);
  }

  /** Excludes subscriptions. */
  get requests(): number {
    return this.#inProgress.size - (this.server.streams?.size ?? 0);
  }

  /** Aborts everything in progress, and sends nothing more. */
  close(reason: Error): void {
    this.server.connect(undefined);
    for (const ended of this.#inProgress.values()) ended.abort(reason);
    this.#inProgress.clear();
    this.#pending?.end();
    this.#observer?.closed();
  }

  async #serve(asked: JSONRPCRequest, header: HeaderOf | undefined): Promise<void> {
    const { id, method } = asked;
    const { server } = this;
    const given = sortParams(asked.params);
    const operation = this.#observer?.received(asked, given, header);
    const row = rowFor(method, server, protocolMethods, server.methods);
    const ended = new AbortController();
    this.#inProgress.set(id, ended);
    const sorted = operation ? { ...given, _meta: operation.meta } : given;
    const request = this.#requestOf({ id, method }, sorted, { signal: ended.signal, operation });
    let message: JSONRPCMessage;
    let isUnknownMethod = row === undefined;
    try {
      const work = () => run(row, server, sorted.params, request);
      const result = await (operation?.during(work) ?? work());
      message = { jsonrpc: '2.0', id, result: sentResult(server, result, { row, request }) };
    } catch (cause) {
      const error = rpcError(cause, { era: server.era, mayRequestInput: row?.mayRequestInput ?? false });
      isUnknownMethod ||= row?.isUnknown === true && error.code === ProtocolErrorCode.MethodNotFound;
      message = { jsonrpc: '2.0', id, error };
    }
    if (this.#inProgress.get(id) === ended) this.#inProgress.delete(id);
    if (operation !== undefined) endOperation(operation, message, ended.signal.aborted);
    if (method === 'initialize' && 'result' in message) this.#observer?.initialized();
    try {
      if (!ended.signal.aborted) await this.#link.respond(id, message, { isUnknownMethod });
    } catch (error) {
      this.#report(`Failed to send response: ${error}`);
    }
  }

  /** Rejects a request with an id in use: the two could not be cancelled or ended reliably. */
  #refuseDuplicate(id: RequestId): void {
    const error = { code: ProtocolErrorCode.InvalidRequest, message: 'A request with this id is already in progress' };
    const sent = async () => this.#link.respond(id, { jsonrpc: '2.0', id, error }, { isUnknownMethod: false });
    sent().catch((cause) => this.#report(`Failed to send response: ${cause}`));
  }

  /** Aborts a request and frees its id, which the client may reuse. */
  #cancel(id: RequestId, reason: unknown): void {
    const ended = this.#inProgress.get(id);
    this.#inProgress.delete(id);
    // Listeners convert the reason to text, which not every value supports.
    ended?.abort(typeof reason === 'string' ? reason : undefined);
  }

  #requestOf(
    { id, method }: Pick<JSONRPCRequest, 'id' | 'method'>,
    { _meta, envelope, inputResponses, requestState }: SortedParams,
    { signal, operation }: { readonly signal: AbortSignal; readonly operation: Operation | undefined },
  ): ClientRequest {
    return {
      id,
      method,
      era: this.server.era,
      _meta,
      envelope,
      inputResponses,
      requestState,
      signal,
      pause: () => this.#link.pause?.(id),
      notify: (notification) => this.#notify(notification.method, notification.params, id),
      ask: (question, options) => {
        this.#pending ??= new PendingRequests();
        const send: SendRequest = async (message) => this.#link.send({ jsonrpc: '2.0', ...message }, id);
        const pending = this.#pending;
        const ask = (asked: ServerRequest) => pending.ask(asked, { ...options, send });
        return operation && this.#observer ? this.#observer.asking(question, operation, ask) : ask(question);
      },
    };
  }

  #receiveNotification({ method, params }: JSONRPCNotification): void {
    const { server } = this;
    switch (method) {
      case 'notifications/cancelled':
        this.#cancel(params?.requestId as RequestId, params?.reason);
        return;
      case 'notifications/progress': // no request of the server asks for progress
        this.#report('Received a progress notification for an unknown token');
        return;
      case 'notifications/initialized':
        if (server.era === 'legacy') server.ready();
        return;
      default:
        server.receiveNotification(method, withoutEnvelope(params)).catch((error) => {
          this.#report(`Uncaught error in notification handler: ${error}`);
        });
    }
  }

  async #notify(method: string, params: Fields | undefined, about?: RequestId): Promise<void> {
    if (method === 'notifications/message' && this.server.capabilities.logging === undefined) return;
    await this.#link.send({ jsonrpc: '2.0', method, ...(params && { params }) }, about);
  }

  #report(message: string): void {
    this.#onError?.(new Error(message));
  }
}

function endOperation(operation: Operation, message: JSONRPCMessage, isCancelled: boolean): void {
  if (isCancelled) operation.end({ error: { code: 'cancelled' } });
  else if ('error' in message) operation.end({ error: message.error });
  else operation.end({ result: (message as JSONRPCResultResponse).result });
}

async function run(
  row: MethodRow<ClientServer> | undefined,
  server: ClientServer,
  params: Fields,
  request: ClientRequest,
): Promise<Fields> {
  if (row === undefined) throw methodNotFound();
  if (server.era === 'modern') {
    const error = envelopeError(request.envelope);
    if (error !== undefined) throw error;
  }
  const fault = row.fault?.(params, server.era);
  if (fault !== undefined) throw wrongParams(`Invalid params of ${request.method}: ${fault}`);
  const { requestState } = request;
  if (row.mayRequestInput && requestState !== undefined && typeof requestState !== 'string') {
    throw wrongParams('Invalid or expired requestState', { reason: 'invalid_request_state' });
  }
  return row.answer(server, params, request);
}

export class NoResponse extends Error {}

interface PendingRequest {
  readonly resolve: (answer: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

type SendRequest = (message: Fields & { readonly method: string; readonly id?: number }) => Promise<void>;

class PendingRequests {
  readonly #open = new Map<number, PendingRequest>();
  #lastId = 0;

  async ask(
    { method, params }: ServerRequest,
    {
      signal,
      timeoutMs,
      send,
    }: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly send: SendRequest },
  ): Promise<Fields> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const cancel = (reason: unknown) => {
      const question = this.#open.get(id);
      if (question === undefined) return;
      const cancelled = { requestId: id, reason: String(reason) };
      send({ method: 'notifications/cancelled', params: cancelled }).catch(() => undefined); // fails only if the connection is gone
      question.reject(reason);
    };
    const ignore = onAbort(signal, () => cancel(signal.reason));
    const timer = setTimeout(() => cancel(new NoResponse(`No response within ${timeoutMs} milliseconds`)), timeoutMs);
    try {
      return await new Promise<Fields>((resolve, reject) => {
        this.#open.set(id, { resolve, reject });
        send({ id, method, params }).catch(reject);
      });
    } finally {
      this.#open.delete(id);
      clearTimeout(timer);
      ignore();
    }
  }

  /** Returns `false` if no request was waiting for this response. */
  settle(answer: JSONRPCResultResponse | JSONRPCErrorResponse): boolean {
    const question = this.#open.get(Number(answer.id));
    if (question === undefined) return false;
    if ('result' in answer) question.resolve(answer.result);
    else question.reject(clientError(answer.error));
    return true;
  }

  end(): void {
    for (const { reject } of this.#open.values()) reject(new NoResponse('The connection ended'));
  }
}

/** Copies only these members: others could replace an `Error`'s own, such as `toString`. */
function clientError({ code, message, data }: JSONRPCErrorResponse['error']): Error {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });
}
