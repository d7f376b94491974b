import {
  InsufficientScopeError,
  type JSONRPCMessage,
  SdkHttpError,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { within } from '@x/internal/async';
import type { JsonRpcMessage } from '@x/internal/contracts';
import { isAuthFailure } from '../auth/auth-failure.js';
import {
  ChannelClosedError,
  type ChannelListeners,
  type PostChannel,
  type PostOptions,
} from '../transport/message-channel.js';
import {
  failedBeforeSending,
  isNetworkFailure,
  isRateLimited,
  isUnavailable,
  SessionForgottenError,
} from './http-failure.js';
import type { RetryAfter } from './http-retry-after.js';
import type { StreamMarks } from './http-stream-marks.js';

/** Longest time for telling a server that its session is over, in milliseconds. */
const farewellMs = 1_000;

/** One of the SDK's HTTP transports. */
export interface InnerTransport extends Transport {
  terminateSession?(): Promise<void>;
}

export interface HttpChannelHooks {
  /**
   * The server does not know this session any more, cannot be reached, or wants another sign-in, which `cause` says then.
   * Called once.
   */
  readonly onLost: (cause?: Error) => void;
  /** Something failed that may mean that the server is gone, or nothing. Sends a ping; resolves when that has ended. */
  readonly onDoubt: () => Promise<void>;
  /** What a request that was refused for lack of a sign-in is rejected with. */
  readonly onAuthFailure: (error: unknown) => Error;
}

export interface HttpChannelOptions {
  readonly retryAfter: RetryAfter;
  readonly marks: StreamMarks;
  /** When the last byte came, by `performance.now()`. */
  readonly lastByteAt: () => number;
  /** Called when the revision of the protocol is known. */
  readonly onAgreed: (protocolVersion: string) => void;
  readonly onClosed: () => void;
}

/**
 * One of the SDK's HTTP transports, with what a supervised server needs besides: it notices that a session is over,
 * tells whether a request had been taken by then, and ends its session when it closes.
 */
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

  agreed(protocolVersion: string): void {
    this.#options.onAgreed(protocolVersion);
    this.#inner.setProtocolVersion?.(protocolVersion);
  }

  /** To be called after the handshake: until then a failure is the handshake's. */
  watch(hooks: HttpChannelHooks): void {
    this.#hooks = hooks;
  }

  listen({ onMessage, onClosed }: ChannelListeners): void {
    this.#onClosed = onClosed;
    this.#inner.onmessage = (received) => {
      const message = received as unknown as JsonRpcMessage;
      onMessage(message, this.#options.marks.take(message));
    };
    this.#inner.onerror = (error) => this.#noticed(error);
    this.#inner.onclose = () => {
      if (this.#phase !== 'closed') void this.close();
    };
  }

  /** To be called once, after `listen`. Rejects with what the transport fails with. */
  async start(): Promise<void> {
    const closed = new Promise<never>((_, reject) => {
      this.#closed = () => reject(new ChannelClosedError('The connection was closed while it was being opened'));
    });
    closed.catch(() => undefined); // mostly nobody waits any more
    await Promise.race([this.#inner.start(), closed]);
  }

  async post(message: JsonRpcMessage, { headers, signal, onStreamEnd }: PostOptions): Promise<void> {
    if (this.#phase !== 'open') throw new ChannelClosedError('The connection to the server is over');
    const hadSession = this.#inner.sessionId !== undefined;
    try {
      await this.#inner.send(message as unknown as JSONRPCMessage, {
        ...(headers && { headers }),
        ...(signal && { requestSignal: signal }),
        ...(onStreamEnd && { onRequestStreamEnd: onStreamEnd }),
      });
    } catch (error) {
      const hooks = this.#isClosed ? undefined : this.#hooks;
      const isPing = message.method === 'ping';
      throw hooks ? await this.#failure(error, hooks, { hadSession, isPing }) : error;
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
    this.#onClosed(); // who waits for an answer need not wait for the farewell
    try {
      if (this.#inner.sessionId !== undefined && !wasLost) await this.#farewell();
    } finally {
      await this.#inner.close();
      this.#options.onClosed();
    }
  }

  async #farewell(): Promise<void> {
    // A server may refuse, or be gone: its session ends by itself then.
    const told = this.#inner.terminateSession?.().catch(() => undefined);
    if (told) await within(told, farewellMs);
  }

  /** What a request failed with, after whatever that means for the session. */
  async #failure(
    error: unknown,
    hooks: HttpChannelHooks,
    { hadSession, isPing }: { hadSession: boolean; isPing: boolean },
  ): Promise<unknown> {
    if (isAuthFailure(error)) {
      const failure = hooks.onAuthFailure(error);
      // Who lacks a scope for one request may still send all others.
      if (!(error instanceof InsufficientScopeError)) this.#lose(hooks, failure);
      return failure;
    }
    if (error instanceof SdkHttpError) {
      const { status } = error;
      if (isRateLimited(status) || isUnavailable(status)) {
        return withoutBody(error, { retryAfterMs: this.#options.retryAfter.ms });
      }
      if (status !== 404 || !hadSession) return withoutBody(error);
      if (isPing) this.#lose(hooks);
      else if (!this.#isLost) await hooks.onDoubt();
      // Not lost: the server still knows the session, so the 404 answers this request alone.
      if (!this.#isLost) return withoutBody(error);
      return new SessionForgottenError('The server does not know the session any more', { cause: withoutBody(error) });
    }
    if (isNetworkFailure(error) && failedBeforeSending(error)) this.#lose(hooks);
    if (error instanceof SyntaxError) return new Error('The answer is no JSON'); // its message quotes it
    return error;
  }

  /** What happens outside of a request: to the stream of the server's own messages, mostly. */
  #noticed(error: Error): void {
    const hooks = this.#hooks;
    if (!hooks || this.#phase !== 'open') return;
    // The answers come over that one stream; another one would be another session.
    if (error instanceof SseError) void this.close();
    else if (error instanceof SdkHttpError ? error.status === 404 : isNetworkFailure(error)) void hooks.onDoubt();
  }

  #lose(hooks: HttpChannelHooks, cause?: Error): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'lost';
    hooks.onLost(cause);
  }
}

/** What the server wrote beside the status may be anything, also what it was sent. */
function withoutBody(
  { code, status }: SdkHttpError,
  extras: { readonly retryAfterMs?: number | undefined } = {},
): SdkHttpError {
  return new SdkHttpError(code, `HTTP ${status}`, {
    status,
    ...extras,
  });
}
