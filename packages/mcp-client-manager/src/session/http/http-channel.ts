import {
  InsufficientScopeError,
  type JSONRPCMessage,
  SdkHttpError,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { within } from '@x/internal/async';
import type { JsonRpcMessage, RpcError } from '@x/internal/contracts';
import { isAuthFailure } from '../../auth/auth-failure.js';
import { noRedaction, type Redact } from '../../redaction.js';
import {
  ChannelClosedError,
  type ChannelListeners,
  type PostChannel,
  type PostOptions,
} from '../../transport/message-channel.js';
import { redactRpcError } from '../peer/json-rpc.js';
import {
  failedBeforeSending,
  isNetworkFailure,
  isRateLimited,
  isUnavailable,
  type RefusalFacts,
  SessionForgottenError,
} from './http-failure.js';
import { rpcErrorAbout } from './refusal-body.js';
import type { RetryAfter } from './retry-after.js';
import type { StreamMarks } from './stream-marks.js';

const farewellMs = 1_000;

export interface InnerTransport extends Transport {
  terminateSession?(): Promise<void>;
}

export interface HttpChannelHooks {
  /**
   * The server does not know the session, is unreachable, or requires a sign-in (`cause` is set). Called at most once.
   */
  readonly onLost: (cause?: Error) => void;
  /** Sends a ping after a failure that may mean the loss of the server, and resolves when it has settled. */
  readonly onDoubt: () => Promise<void>;
  readonly onAuthFailure: (error: unknown) => Error;
}

interface HttpChannelOptions {
  readonly retryAfter: RetryAfter;
  readonly marks: StreamMarks;
  readonly redact: Redact | undefined;
  /** Default: `false`. */
  readonly isStateless?: (() => boolean) | undefined;
  readonly lastByteAt: () => number;
  readonly onAgreed: (protocolVersion: string) => void;
  readonly onClosed: () => void;
}

/** Adapts one of the SDK's HTTP transports. Detects the loss of the session, and whether a request was sent by then. */
export class HttpChannel implements PostChannel {
  readonly hasPerRequestStream: boolean;
  readonly #inner: InnerTransport;
  readonly #options: HttpChannelOptions;
  #hooks: HttpChannelHooks | undefined;
  #phase = 'open' as 'open' | 'lost' | 'closed';
  #closing: Promise<void> | undefined;
  #closed: () => void = () => undefined;
  #onClosed: () => void = () => undefined;

  constructor(inner: InnerTransport, options: HttpChannelOptions) {
    this.#inner = inner;
    this.#options = options;
    this.hasPerRequestStream = inner.hasPerRequestStream === true;
  }

  get #isLost(): boolean {
    return this.#phase === 'lost';
  }

  get #isClosed(): boolean {
    return this.#phase === 'closed';
  }

  get lastByteAt(): number {
    return this.#options.lastByteAt();
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get isStateless(): boolean {
    return this.#options.isStateless?.() ?? false;
  }

  agreed(protocolVersion: string): void {
    this.#options.onAgreed(protocolVersion);
    this.#inner.setProtocolVersion?.(protocolVersion);
  }

  /** Called after the handshake, which handles its own failures. */
  watch(hooks: HttpChannelHooks): void {
    this.#hooks = hooks;
  }

  listen({ onMessage, onClosed, ...streams }: ChannelListeners): void {
    this.#onClosed = onClosed;
    this.#options.marks.listen(streams);
    this.#inner.onmessage = (received) => {
      const message = received as unknown as JsonRpcMessage;
      onMessage(message, this.#options.marks.unmark(message));
    };
    this.#inner.onerror = (error) => this.#onError(error);
    this.#inner.onclose = () => {
      if (this.#phase !== 'closed') void this.close();
    };
  }

  /** Called once, after `listen`. Rejects with the transport's failure. */
  async start(): Promise<void> {
    const closed = new Promise<never>((_, reject) => {
      this.#closed = () => reject(new ChannelClosedError('The connection was closed while it was being opened'));
    });
    closed.catch(() => undefined); // the race below may be over
    await Promise.race([this.#inner.start(), closed]);
  }

  async post(message: JsonRpcMessage, { headers, signal, onStreamEnd, onEventId }: PostOptions): Promise<void> {
    if (this.#phase !== 'open') throw new ChannelClosedError('The connection to the server is over');
    const hadSession = this.#inner.sessionId !== undefined;
    try {
      await this.#inner.send(message as unknown as JSONRPCMessage, {
        ...(headers && { headers }),
        ...(signal && { requestSignal: signal }),
        ...(onStreamEnd && { onRequestStreamEnd: onStreamEnd }),
        ...(onEventId && { onresumptiontoken: onEventId }),
      });
    } catch (error) {
      const hooks = this.#isClosed ? undefined : this.#hooks;
      throw hooks ? await this.#failure(error, hooks, { hadSession, message }) : error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const wasLost = this.#phase === 'lost';
    this.#phase = 'closed';
    this.#closed();
    this.#onClosed(); // open requests reject before the DELETE
    try {
      if (this.#inner.sessionId !== undefined && !wasLost) await this.#terminateSession();
    } finally {
      await this.#inner.close();
      this.#options.onClosed();
    }
  }

  async #terminateSession(): Promise<void> {
    // If the server refuses or is gone, its session expires.
    const terminated = this.#inner.terminateSession?.().catch(() => undefined);
    if (terminated) await within(terminated, farewellMs);
  }

  async #failure(
    error: unknown,
    hooks: HttpChannelHooks,
    { hadSession, message }: { hadSession: boolean; message: JsonRpcMessage },
  ): Promise<unknown> {
    if (isAuthFailure(error)) {
      const failure = hooks.onAuthFailure(error);
      // A missing scope affects only this request.
      if (!(error instanceof InsufficientScopeError)) this.#lose(hooks, failure);
      return failure;
    }
    if (error instanceof SdkHttpError) {
      const { status } = error;
      const rpc = this.#rpcErrorIn(error, message);
      if (isRateLimited(status) || isUnavailable(status)) {
        return withoutBody(error, { rpc, retryAfterMs: this.#options.retryAfter.ms });
      }
      if (status !== 404 || !hadSession) return withoutBody(error, { rpc });
      if (message.method === 'ping') this.#lose(hooks);
      else if (!this.#isLost) await hooks.onDoubt();
      // The ping succeeded: the 404 concerns only this request.
      if (!this.#isLost) return withoutBody(error, { rpc });
      return new SessionForgottenError('The server does not know the session any more', { cause: withoutBody(error) });
    }
    if (isNetworkFailure(error) && failedBeforeSending(error)) this.#lose(hooks);
    if (error instanceof SyntaxError) return new Error('The response is not valid JSON'); // the original quotes the body
    return error;
  }

  #rpcErrorIn(refusal: SdkHttpError, { id }: JsonRpcMessage): RpcError | undefined {
    const error = rpcErrorAbout(id, refusal);
    return error && redactRpcError({ error }, this.#options.redact ?? noRedaction).error;
  }

  /** Outside requests, such as errors of the standalone event stream. */
  #onError(error: Error): void {
    const hooks = this.#hooks;
    if (!hooks || this.#phase !== 'open') return;
    // HTTP+SSE sends all responses over this stream; a new stream is a new session.
    if (error instanceof SseError) void this.close();
    else if (error instanceof SdkHttpError ? error.status === 404 : isNetworkFailure(error)) void hooks.onDoubt();
  }

  #lose(hooks: HttpChannelHooks, cause?: Error): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'lost';
    hooks.onLost(cause);
  }
}

/** The rest of the body may repeat secrets of the request. */
function withoutBody({ code, status }: SdkHttpError, extras: RefusalFacts = {}): SdkHttpError {
  return new SdkHttpError(code, `HTTP ${status}`, {
    status,
    ...extras,
  });
}
