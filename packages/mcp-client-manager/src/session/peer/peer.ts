import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { Redact } from '../../redaction.js';
import { ChannelClosedError, isLineChannel, type MessageChannel } from '../../transport/message-channel.js';
import type { ConnectionObserver } from './connection-observer.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import { internalError, numberOfId, type Params, readRpcError, redactRpcError } from './json-rpc.js';
import { LineWire } from './line-wire.js';
import type { PeerRequest } from './peer-request.js';
import { lostBeforeSending, lostInFlight } from './request-error.js';
import { PostWire, type Wire, type WireListener } from './wire.js';

/** Some servers store ids as 32-bit integers. */
const lastId = 2_147_483_647;

export interface ReceivedRequest {
  readonly method: string;
  readonly params: Params;
  /** Client request that it is about, if the transport says so. */
  readonly about: RequestOrigin | undefined;
}

/** Client request that a server message is about. `gone`: the request has ended. */
export type RequestOrigin = PeerRequest | 'gone';

export interface PeerHooks {
  /** Responds to a server request. A rejection refuses it, with the error's integer `code`, message and `data`. */
  answer(request: ReceivedRequest, signal: AbortSignal): Promise<Params>;
  /** @param about - Set if the transport names the request. */
  onNotification(method: string, params: Params, about: RequestOrigin | undefined): void;
  /** Called before `onLost` of the open requests. */
  onClosed(): void;
}

interface Agreement {
  readonly envelope: (() => Params) | undefined;
  readonly acceptsRequests: boolean;
}

interface PeerOptions {
  readonly redact: Redact | undefined;
  readonly observer?: ConnectionObserver | undefined;
  readonly hooks: PeerHooks;
  readonly onJunk: (text: string) => void;
  readonly readsBatches: () => boolean;
  /** After writes: the number of requests in progress may have changed. */
  readonly onFlushed: () => void;
}

/** One end of a JSON-RPC connection, for all transports and protocol revisions. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #channel: MessageChannel;
  readonly #wire: Wire;
  readonly #requests = new Map<number, PeerRequest>();
  /** By progress token, for operations that outlive their first request. */
  readonly #progress = new Map<number, (params: Params) => void>();
  /** Server requests in progress, by id. */
  readonly #answering = new Map<unknown, AbortController>();
  #agreement: Agreement = { envelope: undefined, acceptsRequests: true };
  #lastId = 0;
  #sent = 0;
  #lastMessageAt = performance.now();
  #isOpen = true;
  #close: () => void = () => undefined;
  #idle: (() => void) | undefined;
  #ended: AbortController | undefined;
  /** Never rejects. */
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
      onStreamEnd: (requestId) => {
        const request = this.#requests.get(Number(requestId));
        if (request) request.isStreamEnded = true;
      },
      onResume: (lastEventId) => this.#resume(lastEventId),
      onClosed: () => this.close(),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get observer(): ConnectionObserver | undefined {
    return this.#options.observer;
  }

  /** Aborts with a `SessionLostError` when the connection closes. */
  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    if (!this.#isOpen) this.#ended.abort(lostInFlight());
    return this.#ended.signal;
  }

  /** Time of the last message, by `performance.now()`. */
  get lastMessageAt(): number {
    return this.#lastMessageAt;
  }

  /** Time of the last byte, by `performance.now()`. */
  get lastByteAt(): number {
    return this.#channel.lastByteAt ?? this.#lastMessageAt;
  }

  agreed(agreement: Agreement): void {
    this.#agreement = agreement;
  }

  /** `undefined` before revision 2026-07-28. */
  get envelope(): Params | undefined {
    return this.#agreement.envelope?.();
  }

  /**
   * @throws {TypeError} The params cannot be written as JSON.
   * @throws {SessionLostError} The connection is closed.
   */
  send(request: PeerRequest): void {
    if (!this.#isOpen) throw lostBeforeSending();
    request.id = this.#nextId();
    // From revision 2026-07-28 on, closing its own stream cancels a request.
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

  /** Withdraws a queued request, or cancels a sent one at the server. Calls none of its methods. */
  cancel(request: PeerRequest, reason: unknown): void {
    if (!this.#forget(request)) return;
    if (!request.isSent) this.#wire.withdraw(request);
    else if (request.stream) request.stream.abort();
    else this.#sendCancelled(request.id, reason);
  }

  /** Forgets a request that the server has given up. Calls none of its methods. */
  drop(request: PeerRequest): void {
    if (this.#forget(request)) request.stream?.abort();
  }

  /** Cancels all sent requests, and calls their `onLost`. */
  cancelAll(reason: unknown): void {
    for (const request of [...this.#requests.values()]) {
      if (!request.isSent) continue;
      this.cancel(request, reason);
      request.onLost();
    }
  }

  /** Rejects if the transport does not accept the notification. */
  notify(method: string, params?: Params): Promise<void> {
    const { envelope } = this;
    const whole = envelope ? { ...params, _meta: { ...envelope, ...(params?._meta as Params | undefined) } } : params;
    return this.#wire.post({ jsonrpc: '2.0', method, ...(whole && { params: whole }) });
  }

  /** Allocates a progress token for an operation of several requests. */
  listenToProgress(listener: (params: Params) => void): { readonly token: number; stop(): void } {
    const token = this.#nextId();
    this.#progress.set(token, listener);
    return { token, stop: () => void this.#progress.delete(token) };
  }

  async idle(): Promise<void> {
    if (this.#requests.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

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
    this.#lastMessageAt = performance.now();
    const { redact } = this.#options;
    const message = redact ? redactRpcError(received, redact) : received;
    const { id, method } = message;
    if (method === undefined) this.#onResponse(id, message);
    else if (typeof method !== 'string' || isTooDeep(message.params))
      return; // it could not be forwarded
    else if (id === undefined) this.#onNotification(method, isRecord(message.params) ? message.params : {}, requestId);
    else this.#onRequest(id, method, message.params, requestId);
  }

  #onResponse(id: unknown, { result, error }: JsonRpcMessage): void {
    const number = numberOfId(id);
    const request = number === undefined ? undefined : this.#requests.get(number);
    if (!request?.isSent) return;
    this.#forget(request);
    // Lists have a limit per entry instead of this one.
    const isList = request.method.endsWith('/list');
    if (error === undefined && isRecord(result)) {
      if (!isList && isTooDeep(result)) request.onRefused(tooDeepError());
      else request.onResult(result);
    } else request.onRefused(isTooDeep(error) ? tooDeepError() : readRpcError(error));
  }

  #onNotification(method: string, params: Params, requestId: unknown): void {
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

  #onRequest(id: unknown, method: string, params: unknown = {}, requestId?: unknown): void {
    const isRequest = (typeof id === 'string' || Number.isSafeInteger(id)) && isRecord(params);
    if (!this.#agreement.acceptsRequests || !isRequest) return;
    const about = this.#originOf(requestId);
    const abort = new AbortController();
    this.#answering.set(id, abort);
    const operation = this.observer?.received(method, params, id as string | number);
    const answer =
      method === 'ping' ? Promise.resolve({}) : this.#options.hooks.answer({ method, params, about }, abort.signal);
    void answer
      .then(
        (result) => ({ jsonrpc: '2.0' as const, id, result }),
        (error: unknown) => ({ jsonrpc: '2.0' as const, id, error: errorAnswer(error) }),
      )
      .then(async (message) => {
        operation?.end('error' in message ? { error: message.error } : message);
        if (this.#answering.get(id) === abort) this.#answering.delete(id);
        if (!abort.signal.aborted) await this.#reply(message);
      });
  }

  /** Never rejects: if the write fails, the connection is closed or closing. */
  async #reply(message: JsonRpcMessage): Promise<void> {
    try {
      await this.#wire.post(message);
    } catch (error) {
      if (error instanceof ChannelClosedError || message.error !== undefined) return;
      const { id } = message;
      await this.#reply({ jsonrpc: '2.0', id, error: errorAnswer(error) });
    }
  }

  #resume(lastEventId: string): number | undefined {
    const requests = [...this.#requests.values()];
    const request = requests.find((each) => each.lastEventId === lastEventId);
    if (request?.isStreamEnded) {
      request.isStreamEnded = false;
      request.onPaused();
    }
    return request?.id;
  }

  #originOf(requestId: unknown): RequestOrigin | undefined {
    if (requestId === undefined) return undefined;
    return this.#requests.get(Number(requestId)) ?? 'gone';
  }

  #sendCancelled(requestId: number, reason: unknown): void {
    const params = { requestId, reason: reason instanceof Error ? reason.message : String(reason) };
    // A failed write means a closed connection.
    this.notify('notifications/cancelled', params).catch(() => undefined);
  }

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
