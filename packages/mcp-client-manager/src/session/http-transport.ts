import {
  InsufficientScopeError,
  type JSONRPCMessage,
  SdkHttpError,
  SseError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { within } from '@x/internal/async';
import { isAuthFailure } from '../auth/auth-failure.js';
import { ChannelClosedError } from '../transport/message-channel.js';
import { withHiddenError } from './hidden-error.js';
import {
  failedBeforeSending,
  isNetworkFailure,
  isRateLimited,
  isUnavailable,
  lostAnswer,
  SessionForgottenError,
} from './http-failure.js';
import type { RequestOriginId, RequestOrigins } from './http-request-origins.js';
import type { RetryAfter } from './http-retry-after.js';

/** Longest time for telling a server that its session is over, in milliseconds. */
const farewellMs = 1_000;

/** One of the SDK's HTTP transports. */
export interface InnerTransport extends Transport {
  terminateSession?(): Promise<void>;
}

export interface HttpTransportHooks {
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

export interface HttpTransportOptions {
  readonly retryAfter: RetryAfter;
  readonly redact: ((text: string) => string) | undefined;
  readonly origins: RequestOrigins;
  /** When the last byte came, by `performance.now()`. */
  readonly lastByteAt: () => number;
  /** Called when the revision of the protocol is known. */
  readonly onAgreed: (protocolVersion: string) => void;
  readonly onClosed: () => void;
}

/**
 * One of the SDK's HTTP transports, with what a supervised server needs besides: it notices that a session is over,
 * tells whether a request had been taken by then, fails a request whose answer can no longer come, and ends its session
 * when it closes.
 */
export class HttpTransport implements Transport {
  readonly hasPerRequestStream: boolean;
  readonly #inner: InnerTransport;
  readonly #retryAfter: RetryAfter;
  readonly #redact: HttpTransportOptions['redact'];
  readonly #origins: RequestOrigins;
  readonly #onClosed: () => void;
  readonly #lastByteAt: () => number;
  readonly #onAgreed: HttpTransportOptions['onAgreed'];
  /** Requests that wait for their answers. */
  readonly #waiting = new Set<string | number>();
  #hooks: HttpTransportHooks | undefined;
  #phase = 'open' as 'open' | 'lost' | 'closed';
  #closing: Promise<void> | undefined;
  #closed: () => void = () => undefined;
  #idle: (() => void) | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(
    inner: InnerTransport,
    { retryAfter, redact, origins, lastByteAt, onAgreed, onClosed }: HttpTransportOptions,
  ) {
    this.#inner = inner;
    this.#retryAfter = retryAfter;
    this.#redact = redact;
    this.#origins = origins;
    this.#onClosed = onClosed;
    this.#lastByteAt = lastByteAt;
    this.#onAgreed = onAgreed;
    this.hasPerRequestStream = inner.hasPerRequestStream === true;
  }

  get #isUsable(): boolean {
    return this.#phase === 'open';
  }

  get #isLost(): boolean {
    return this.#phase === 'lost';
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  /** When the last byte came from the server, by `performance.now()`. */
  get lastByteAt(): number {
    return this.#lastByteAt();
  }

  /** On the stream of which request of ours one of the server's has come, if that can be told. To be asked once. */
  takeOrigin(id: unknown): RequestOriginId | undefined {
    return this.#origins.take(id);
  }

  setProtocolVersion(version: string): void {
    this.#onAgreed(version);
    this.#inner.setProtocolVersion?.(version);
  }

  /** To be called after the handshake: until then a failure is the handshake's. */
  watch(hooks: HttpTransportHooks): void {
    this.#hooks = hooks;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => {
      if ('id' in message && message.id !== undefined && !('method' in message)) this.#settled(message.id);
      this.onmessage?.(this.#redact ? withHiddenError(message, this.#redact) : message, extra);
    };
    this.#inner.onerror = (error) => this.#noticed(error);
    this.#inner.onclose = () => {
      if (this.#phase !== 'closed') void this.close();
    };
    const closed = new Promise<never>((_, reject) => {
      this.#closed = () => reject(new ChannelClosedError('The connection was closed while it was being opened'));
    });
    closed.catch(() => undefined); // mostly nobody waits any more
    await Promise.race([this.#inner.start(), closed]);
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (!this.#isUsable) throw new ChannelClosedError('The connection to the server is over');
    // Whoever listens to the end of the stream has an answer that never comes: a subscription.
    const isCall = 'method' in message && 'id' in message && !options.onRequestStreamEnd;
    const id = isCall ? message.id : undefined;
    const hadSession = this.#inner.sessionId !== undefined;
    if (id !== undefined) this.#waiting.add(id);
    const onRequestStreamEnd = (): void => {
      options.onRequestStreamEnd?.();
      if (id !== undefined) this.#streamEnded(id);
    };
    try {
      await this.#inner.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      const isPing = 'method' in message && message.method === 'ping';
      const hooks = this.#phase === 'closed' ? undefined : this.#hooks;
      const failure = hooks ? await this.#failure(error, hooks, { hadSession, isPing }) : error;
      // Later: a lost session closes once it is idle, and this failure has to reach its caller first.
      if (id !== undefined) setImmediate(() => this.#settled(id));
      throw failure;
    }
  }

  /** Resolves when no request waits for its answer. */
  async idle(): Promise<void> {
    if (this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const wasLost = this.#phase === 'lost';
    this.#phase = 'closed';
    this.#waiting.clear();
    this.#idle?.();
    this.#closed();
    this.onclose?.(); // whoever waits need not wait for the farewell
    try {
      if (this.#inner.sessionId !== undefined && !wasLost) await this.#farewell();
    } finally {
      await this.#inner.close();
      this.#onClosed();
    }
  }

  async #farewell(): Promise<void> {
    // A server may refuse, or be gone: its session ends by itself then.
    const told = this.#inner.terminateSession?.().catch(() => undefined);
    if (told) await within(told, farewellMs);
  }

  #settled(id: string | number): void {
    if (!this.#waiting.delete(id)) this.#waiting.delete(Number(id)); // some servers send it back as text
    if (this.#waiting.size === 0) this.#idle?.();
  }

  #streamEnded(id: string | number): void {
    if (!this.#waiting.has(id)) return;
    this.#settled(id);
    this.onmessage?.(lostAnswer(id));
  }

  /** What a request failed with, after whatever that means for the session. */
  async #failure(
    error: unknown,
    hooks: HttpTransportHooks,
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
        return withoutBody(error, { retryAfterMs: this.#retryAfter.ms });
      }
      if (status !== 404 || !hadSession) return withoutBody(error);
      if (isPing) this.#lose(hooks);
      else if (this.#isUsable) await hooks.onDoubt();
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
    if (hooks && this.#phase === 'open') {
      // The answers come over that one stream; another one would be another session.
      if (error instanceof SseError) void this.close();
      else if (error instanceof SdkHttpError ? error.status === 404 : isNetworkFailure(error)) void hooks.onDoubt();
    }
    this.onerror?.(error);
  }

  #lose(hooks: HttpTransportHooks, cause?: Error): void {
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
