import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { messageOf } from '@x/internal/errors';
import { ClientQuestions, type SendQuestion } from './client-questions.js';
import { type ClientRequest, type Fields, type SortedParams, sortParams, withoutEnvelope } from './client-request.js';
import type { ClientServer } from './client-server.js';
import { envelopeError } from './envelope.js';
import { type MethodRow, rowFor } from './method-table.js';
import { protocolMethods } from './protocol-methods.js';
import { methodNotFound, rpcError, wrongParams } from './rpc-errors.js';
import { sentResult } from './sent-result.js';

/** Delivers messages to one client. Both methods reject if delivery fails. */
export interface PeerLink {
  /** @param about - The client's request that the message belongs to. */
  send(message: JSONRPCMessage, about?: RequestId): Promise<void> | void;
  /** Sends the single response to a request. */
  respond(id: RequestId, message: JSONRPCMessage, facts: AnswerFacts): Promise<void> | void;
}

export interface AnswerFacts {
  /** The server has no such method. */
  readonly isUnknownMethod: boolean;
}

export type OnError = ((error: Error) => void) | undefined;

/**
 * The server's end of one JSON-RPC connection to a client, for every transport and every revision: finds the row of a
 * request, sends its result or error, cancels, and sends notifications and requests to the client.
 */
export class ClientPeer {
  readonly server: ClientServer;
  readonly #link: PeerLink;
  readonly #onError: OnError;
  readonly #underWay = new Map<RequestId, AbortController>();
  #questions: ClientQuestions | undefined;
  /** Streams of changes, until their requests have a response. Not by id: a client may reuse the id of a cancelled one. */
  #streams: Set<Promise<void>> | undefined;

  constructor(server: ClientServer, link: PeerLink, onError?: OnError) {
    this.server = server;
    this.#link = link;
    this.#onError = onError;
    server.connect((method, params) => void this.#notify(method, params).catch((error) => this.#onError?.(error)));
  }

  /** Handles one message of the client, as `readMessage` returns it. */
  receive(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      // Does not repeat the client's text: a response may contain user input.
      if (!this.#questions?.settle(message)) this.#report('Received a response for an unknown message ID');
    } else if ('id' in message) {
      if (this.#underWay.has(message.id)) {
        this.#refuseDuplicate(message.id);
        return;
      }
      const served = this.#serve(message).catch((cause) => this.#report(`Failed to answer: ${messageOf(cause)}`));
      if (!this.server.streams?.has(message.id)) return;
      this.#streams ??= new Set();
      const streams = this.#streams.add(served);
      void served.then(() => streams.delete(served));
    } else this.#heed(message);
  }

  /** Ends the client's streams of changes, as the protocol requires of a server that closes. */
  async endStreams(): Promise<void> {
    for (const end of this.server.streams?.values() ?? []) end();
    await Promise.all(this.#streams ?? []);
  }

  /** How many requests of the client are in progress, other than streams of changes. */
  get requests(): number {
    return this.#underWay.size - (this.server.streams?.size ?? 0);
  }

  /** Aborts everything in progress. Sends nothing from then on. */
  close(reason: Error): void {
    this.server.connect(undefined);
    for (const ended of this.#underWay.values()) ended.abort(reason);
    this.#underWay.clear();
    this.#questions?.end();
  }

  async #serve({ id, method, params: given }: JSONRPCRequest): Promise<void> {
    const { server } = this;
    const row = rowFor(method, server, protocolMethods, server.methods);
    const ended = new AbortController();
    this.#underWay.set(id, ended);
    const sorted = sortParams(given);
    const request = this.#requestOf({ id, method }, sorted, ended.signal);
    let message: JSONRPCMessage;
    let isUnknownMethod = row === undefined;
    try {
      const result = await run(row, server, sorted.params, request);
      message = { jsonrpc: '2.0', id, result: sentResult(server, result, { row, request }) };
    } catch (cause) {
      const error = rpcError(cause, { era: server.era, asksForInput: row?.asksForInput ?? false });
      isUnknownMethod ||= row?.isUnknown === true && error.code === ProtocolErrorCode.MethodNotFound;
      message = { jsonrpc: '2.0', id, error };
    }
    if (this.#underWay.get(id) === ended) this.#underWay.delete(id);
    try {
      if (!ended.signal.aborted) await this.#link.respond(id, message, { isUnknownMethod });
    } catch (error) {
      this.#report(`Failed to send response: ${error}`);
    }
  }

  /** Two requests with one id could not be cancelled or ended reliably. */
  #refuseDuplicate(id: RequestId): void {
    const error = { code: ProtocolErrorCode.InvalidRequest, message: 'There is a request with this id already' };
    const sent = async () => this.#link.respond(id, { jsonrpc: '2.0', id, error }, { isUnknownMethod: false });
    sent().catch((cause) => this.#report(`Failed to send response: ${cause}`));
  }

  /** The client may use the id again. */
  #cancel(id: RequestId, reason: unknown): void {
    const ended = this.#underWay.get(id);
    this.#underWay.delete(id);
    // Listeners convert the reason to text, which not every value supports.
    ended?.abort(typeof reason === 'string' ? reason : undefined);
  }

  #requestOf(
    { id, method }: Pick<JSONRPCRequest, 'id' | 'method'>,
    { params: _, ...sorted }: SortedParams,
    signal: AbortSignal,
  ): ClientRequest {
    return {
      id,
      method,
      era: this.server.era,
      ...sorted,
      signal,
      notify: (notification) => this.#notify(notification.method, notification.params, id),
      ask: (question, options) => {
        this.#questions ??= new ClientQuestions();
        const send: SendQuestion = async (message) => this.#link.send({ jsonrpc: '2.0', ...message }, id);
        return this.#questions.ask(question, { ...options, send });
      },
    };
  }

  #heed({ method, params }: JSONRPCNotification): void {
    const { server } = this;
    switch (method) {
      case 'notifications/cancelled':
        this.#cancel(params?.requestId as RequestId, params?.reason);
        return;
      case 'notifications/progress': // not a response to a request of the server
        this.#report('Received a progress notification for an unknown token');
        return;
      case 'notifications/initialized':
        if (server.era === 'legacy') server.ready();
        return;
      default:
        server.heed(method, withoutEnvelope(params)).catch((error) => {
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
  if (row.asksForInput && requestState !== undefined && typeof requestState !== 'string') {
    throw wrongParams('Invalid or expired requestState', { reason: 'invalid_request_state' });
  }
  return row.answer(server, params, request);
}
