import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { Redact } from '../redaction.js';
import { ChannelClosedError, isLineChannel, type MessageChannel } from '../transport/message-channel.js';
import { lostBeforeSending, lostInFlight } from './call-error.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import { withHiddenError } from './hidden-error.js';
import { internalError, numberOfId, type Params, readRpcError } from './json-rpc.js';
import { LineWire } from './line-wire.js';
import type { PeerRequest } from './peer-request.js';
import { PostWire } from './post-wire.js';
import type { Wire, WireListener } from './wire.js';

/** Larger ids would be too much for some servers. */
const lastId = 2_147_483_647;

/** A request of the server. */
export interface ServerRequest {
  readonly method: string;
  readonly params: Params;
  /** The request of ours that it is about, where the transport says so. */
  readonly about: RequestOrigin | undefined;
}

/** The request of ours that a message of the server is about; `gone`: it has no answer to wait for any more. */
export type RequestOrigin = PeerRequest | 'gone';

/** What becomes of messages that the server sends of its own accord. */
export interface PeerHooks {
  /** Answers a request of the server with a result. A rejection refuses it: with its integer `code`, message and `data`. */
  answer(request: ServerRequest, signal: AbortSignal): Promise<Params>;
  /** @param about - Where the transport says so. */
  onNotification(method: string, params: Params, about: RequestOrigin | undefined): void;
  /** The connection is over. Called before the requests that wait learn of it. */
  onClosed(): void;
}

/** What the two sides have agreed on in the handshake. */
export interface Agreement {
  /** Merged into `_meta` of every message from then on; asked for each of them. */
  readonly envelope: (() => Params) | undefined;
  /** Whether the server may send requests. Those of one that may not are dropped. */
  readonly takesRequests: boolean;
}

export interface PeerOptions {
  readonly redact: Redact | undefined;
  readonly hooks: PeerHooks;
  readonly onJunk: (text: string) => void;
  readonly readsBatches: () => boolean;
  /** Called when the number of requests that the server works on has changed. */
  readonly onFlushed: () => void;
}

/**
 * One end of a JSON-RPC connection, for every transport and every revision of the protocol: numbers requests, writes them,
 * finds the request that an answer or its progress belongs to, cancels, and answers what the server asks.
 */
export class Peer {
  readonly #options: PeerOptions;
  readonly #channel: MessageChannel;
  readonly #wire: Wire;
  readonly #requests = new Map<number, PeerRequest>();
  /** Listeners to progress that outlives its request, by token. */
  readonly #progress = new Map<number, (params: Params) => void>();
  /** Requests of the server that are being answered. */
  readonly #answering = new Map<unknown, AbortController>();
  #agreement: Agreement = { envelope: undefined, takesRequests: true };
  #lastId = 0;
  #sent = 0;
  #lastHeardAt = performance.now();
  #isOpen = true;
  #close: () => void = () => undefined;
  #idle: (() => void) | undefined;
  #ended: AbortController | undefined;
  /** Settles when the connection is over. Never rejects. */
  readonly closed: Promise<void>;

  constructor(channel: MessageChannel, options: PeerOptions) {
    this.#options = options;
    this.#channel = channel;
    const listener = this.#wireListener();
    this.#wire = isLineChannel(channel) ? new LineWire(channel, listener) : new PostWire(channel, listener);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    channel.listen({
      onMessage: (message, about) => this.#receive(message, about),
      onJunk: options.onJunk,
      readsBatches: options.readsBatches,
      onClosed: () => this.close(),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Aborts with a `SessionLostError` when the connection is over. */
  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    if (!this.#isOpen) this.#ended.abort(lostInFlight());
    return this.#ended.signal;
  }

  /** When the last message came, by `performance.now()`. */
  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  /** When the last byte came, by `performance.now()`. */
  get lastByteAt(): number {
    return this.#channel.lastByteAt ?? this.#lastHeardAt;
  }

  agreed(agreement: Agreement): void {
    this.#agreement = agreement;
  }

  /** Merged into the `_meta` of every message; `undefined` before revision 2026-07-28. */
  get envelope(): Params | undefined {
    return this.#agreement.envelope?.();
  }

  /**
   * @throws {TypeError} The params cannot be written as JSON.
   * @throws {SessionLostError} The connection is over.
   */
  send(request: PeerRequest): void {
    if (!this.#isOpen) throw lostBeforeSending();
    request.id = this.#nextId();
    // A later server takes the end of the request's own stream as its cancellation.
    const endsByStream = this.#agreement.envelope && 'hasPerRequestStream' in this.#channel;
    if (endsByStream && this.#channel.hasPerRequestStream) request.stream = new AbortController();
    this.#requests.set(request.id, request);
    try {
      this.#wire.send(request);
    } catch (error) {
      this.#forget(request);
      throw error;
    }
  }

  /** Takes back a request that waits to be written, or tells the server of one that it has. None of its methods is called. */
  cancel(request: PeerRequest, reason: unknown): void {
    if (!this.#forget(request)) return;
    if (!request.isSent) this.#wire.withdraw(request);
    else if (request.stream) request.stream.abort();
    else this.#tellCancelled(request.id, reason);
  }

  /** Waits no longer for the answer to a request that the server has given up. None of its methods is called. */
  drop(request: PeerRequest): void {
    if (this.#forget(request)) request.stream?.abort();
  }

  /** Cancels all that the server has, and tells each request that the connection was lost under it. */
  cancelAll(reason: unknown): void {
    for (const request of [...this.#requests.values()]) {
      if (!request.isSent) continue; // the end of the connection tells it so
      this.cancel(request, reason);
      request.onLost();
    }
  }

  /** Rejects when the notification cannot be handed over. */
  notify(method: string, params?: Params): Promise<void> {
    const { envelope } = this;
    const whole = envelope ? { ...params, _meta: { ...envelope, ...(params?._meta as Params | undefined) } } : params;
    return this.#wire.note({ jsonrpc: '2.0', method, ...(whole && { params: whole }) });
  }

  /** Listens to the progress of something that takes more than one request. */
  listenToProgress(listener: (params: Params) => void): { readonly token: number; stop(): void } {
    const token = this.#nextId();
    this.#progress.set(token, listener);
    return { token, stop: () => void this.#progress.delete(token) };
  }

  /** Resolves when no request waits for its answer. */
  async idle(): Promise<void> {
    if (this.#requests.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Ends it from this side; the channel is left alone. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    this.#sent = 0;
    this.#wire.close();
    for (const abort of this.#answering.values()) abort.abort(new ChannelClosedError('The connection has ended'));
    this.#answering.clear();
    this.#options.hooks.onClosed();
    for (const request of requests) request.onLost();
    this.#ended?.abort(lostInFlight());
    this.#idle?.();
    this.#close();
  }

  #wireListener(): WireListener {
    const peer = this;
    return {
      get isBusy() {
        return peer.#sent > 0;
      },
      sent: (request) => {
        request.isSent = true;
        this.#sent += 1;
        request.onSent();
      },
      flushed: () => this.#options.onFlushed(),
      unsent: (request) => {
        const isKnown = this.#forget(request);
        request.isSent = false;
        if (isKnown) request.onLost();
      },
      unanswered: (request) => {
        if (this.#forget(request)) request.onLost();
      },
      undelivered: (request, error) => {
        if (this.#forget(request)) request.onUndelivered(error);
      },
    };
  }

  #receive(received: JsonRpcMessage, requestId: unknown): void {
    if (!this.#isOpen) return;
    this.#lastHeardAt = performance.now();
    const { redact } = this.#options;
    const message = redact ? withHiddenError(received, redact) : received;
    const { id, method } = message;
    if (method === undefined) this.#answered(id, message);
    else if (typeof method !== 'string' || isTooDeep(message.params))
      return; // nobody could pass it on
    else if (id === undefined) this.#notified(method, isRecord(message.params) ? message.params : {}, requestId);
    else this.#asked(id, method, message.params, requestId);
  }

  #answered(id: unknown, { result, error }: JsonRpcMessage): void {
    const number = numberOfId(id);
    const request = number === undefined ? undefined : this.#requests.get(number);
    if (!request?.isSent) return; // given up before, or never asked
    this.#forget(request);
    // Entries of lists have limits of their own, which leave out one and keep the others.
    const isList = request.method.endsWith('/list');
    if (error === undefined && isRecord(result)) {
      if (!isList && isTooDeep(result)) request.onRefused(tooDeepError());
      else request.onResult(result);
    } else request.onRefused(isTooDeep(error) ? tooDeepError() : readRpcError(error));
  }

  #notified(method: string, params: Params, requestId: unknown): void {
    if (method === 'notifications/progress') {
      const token = numberOfId(params.progressToken);
      if (token === undefined) return;
      const request = this.#requests.get(token);
      if (request) request.onProgress(params);
      else this.#progress.get(token)?.(params);
      return;
    }
    if (method === 'notifications/cancelled') this.#answering.get(params.requestId)?.abort(params.reason);
    this.#options.hooks.onNotification(method, params, this.#originOf(requestId));
  }

  #asked(id: unknown, method: string, params: unknown = {}, requestId?: unknown): void {
    const isRequest = (typeof id === 'string' || Number.isSafeInteger(id)) && isRecord(params);
    if (!this.#agreement.takesRequests || !isRequest) return;
    const about = this.#originOf(requestId);
    const abort = new AbortController();
    this.#answering.set(id, abort);
    const answer =
      method === 'ping' ? Promise.resolve({}) : this.#options.hooks.answer({ method, params, about }, abort.signal);
    void answer
      .then(
        (result) => ({ jsonrpc: '2.0' as const, id, result }),
        (error: unknown) => ({ jsonrpc: '2.0' as const, id, error: errorAnswer(error) }),
      )
      .then(async (message) => {
        if (this.#answering.get(id) === abort) this.#answering.delete(id);
        if (!abort.signal.aborted) await this.#reply(message);
      });
  }

  /** Never rejects: a server that cannot be told has ended, or is about to. */
  async #reply(message: JsonRpcMessage): Promise<void> {
    try {
      await this.#wire.note(message);
    } catch (error) {
      if (error instanceof ChannelClosedError || message.error !== undefined) return;
      const { id } = message;
      await this.#reply({ jsonrpc: '2.0', id, error: errorAnswer(error) });
    }
  }

  #originOf(requestId: unknown): RequestOrigin | undefined {
    if (requestId === undefined) return undefined;
    return this.#requests.get(Number(requestId)) ?? 'gone';
  }

  #tellCancelled(requestId: number, reason: unknown): void {
    const params = { requestId, reason: reason instanceof Error ? reason.message : String(reason) };
    // A server that cannot be told has ended, or is about to.
    this.notify('notifications/cancelled', params).catch(() => undefined);
  }

  /** @returns Whether the request was waited for. */
  #forget(request: PeerRequest): boolean {
    if (!this.#requests.delete(request.id)) return false;
    if (request.isSent) this.#sent -= 1;
    if (this.#requests.size === 0) this.#idle?.();
    return true;
  }

  #nextId(): number {
    do this.#lastId = this.#lastId === lastId ? 1 : this.#lastId + 1;
    while (this.#requests.has(this.#lastId) || this.#progress.has(this.#lastId));
    return this.#lastId;
  }
}

function errorAnswer(error: unknown): Params {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return {
    code: Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data !== undefined && { data }),
  };
}
