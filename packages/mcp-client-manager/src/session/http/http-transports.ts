import {
  type AuthProvider,
  type FetchLike,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  withDpopFromProvider,
} from '@modelcontextprotocol/client';
import { longestTimerMs } from '@x/internal/options';
import { authFetch } from '../../auth/auth-fetch.js';
import { type AuthSource, isOAuthSource } from '../../auth/auth-source.js';
import { oauthProvider, SentTokens, silentAuth } from '../../auth/silent-auth.js';
import type { Redact } from '../../redaction.js';
import { revisionWithBatches } from '../protocol.js';
import { boundedFetch } from './bounded-fetch.js';
import { HttpChannel, type InnerTransport } from './http-channel.js';
import { RetryAfter } from './retry-after.js';
import { StreamMarks } from './stream-marks.js';

export interface HttpTarget {
  readonly url: string;
  /** Sent only to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly source: AuthSource | undefined;
  readonly maxMessageBytes: number;
  /** Default: no redaction. */
  readonly redact?: Redact | undefined;
  /** Added to `headers`, computed for each request. Default: none. */
  readonly addedHeaders?: AddedHeaders | undefined;
}

/** Shortest pause before a reconnect: `retry: 0` from a server that closes each stream would cause a busy loop. */
const minReconnectionMs = 250;

const reconnectionOptions = {
  initialReconnectionDelay: minReconnectionMs,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 6,
};

/** By the SDK's default, follows redirects within the server's origin only. */
export function streamableChannel(target: HttpTarget): HttpChannel {
  const timers = new Set<NodeJS.Timeout>();
  const { end, retryAfter, marks, lastByteAt, onAgreed, ...options } = transportOptions(target);
  const inner = new StreamableHTTPClientTransport(new URL(target.url), {
    ...options,
    reconnectionOptions,
    // The SDK tracks only one of several timers; the others would survive the close.
    reconnectionScheduler: (reconnect, requestedMs) => {
      const delayMs = Math.min(Math.max(requestedMs, minReconnectionMs), longestTimerMs);
      const timer = setTimeout(() => {
        timers.delete(timer);
        reconnect();
      }, delayMs);
      timers.add(timer);
    },
  });
  return new HttpChannel(inner as InnerTransport, {
    retryAfter,
    marks,
    redact: target.redact,
    isStateless: () => inner.sessionId === undefined,
    lastByteAt,
    onAgreed,
    onClosed: () => {
      for (const timer of timers) clearTimeout(timer);
      end();
    },
  });
}

/** HTTP with SSE, the transport of revision 2024-11-05. */
export function sseChannel(target: HttpTarget): HttpChannel {
  const { end, retryAfter, marks, lastByteAt, onAgreed, fetch, ...options } = transportOptions(target);
  const inner = new SSEClientTransport(new URL(target.url), { ...options, fetch: refusing(fetch) });
  const { redact } = target;
  return new HttpChannel(inner as InnerTransport, { retryAfter, marks, redact, lastByteAt, onAgreed, onClosed: end });
}

interface TransportOptions {
  readonly requestInit: RequestInit;
  readonly fetch: FetchLike;
  readonly authProvider?: AuthProvider;
  readonly retryAfter: RetryAfter;
  readonly marks: StreamMarks;
  readonly lastByteAt: () => number;
  readonly onAgreed: (protocolVersion: string) => void;
  readonly end: () => void;
}

function transportOptions({ url, headers, source, maxMessageBytes, addedHeaders }: HttpTarget): TransportOptions {
  const life = new AbortController();
  const retryAfter = new RetryAfter();
  const marks = new StreamMarks();
  const sentTokens = new SentTokens();
  let lastByteAt = performance.now();
  let readsBatches = false;
  const bounded = boundedFetch(retryAfter.record(fetchWithHeaders(addedHeaders, url)), {
    maxBytes: maxMessageBytes,
    readsBatches: () => readsBatches,
    onBytes: () => {
      lastByteAt = performance.now();
    },
    rewriteEvent: (event, requestId) => marks.mark(event, requestId),
    onStreamEnd: (requestId) => marks.ended(requestId),
    requestOf: (lastEventId) => marks.resumed(lastEventId),
  });
  const forSignIn = authFetch({ fetch: bounded, serverUrl: url, headers, signal: life.signal });
  return {
    requestInit: { headers: { ...headers } },
    fetch: sentTokens.record(signed(bounded, source)),
    ...(source && { authProvider: silentAuth(source, { fetch: forSignIn, sentTokens }) }),
    retryAfter,
    marks,
    lastByteAt: () => lastByteAt,
    onAgreed: (protocolVersion) => {
      readsBatches = protocolVersion === revisionWithBatches;
    },
    end: () => life.abort(),
  };
}

/** Adds DPoP proofs (RFC 9449) if the source has a key. */
function signed(fetch: FetchLike, source: AuthSource | undefined): FetchLike {
  if (!source || !isOAuthSource(source) || !source.dpop) return fetch;
  return withDpopFromProvider(oauthProvider(source))(fetch);
}

/** Throws for a refused POST: the SDK's own error lacks the HTTP status. */
function refusing(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status } = response;
    if (init?.method !== 'POST' || status < 400 || status === 401) return response;
    const text = await response.text();
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, text });
  };
}

/** Returns headers for requests to an origin, beside those of the server's spec. */
export type HeadersFor = (origin: string) => Readonly<Record<string, string>>;
type AddedHeaders = ReadonlySet<HeadersFor>;

/** Adds headers to requests to the server's own origin only. */
function fetchWithHeaders(added: AddedHeaders | undefined, serverUrl: string): FetchLike {
  const { origin } = new URL(serverUrl);
  return (url, init) => {
    if (added === undefined || added.size === 0 || new URL(url).origin !== origin) return fetch(url, init);
    const headers = new Headers(init?.headers);
    for (const headersFor of added) {
      for (const [name, value] of Object.entries(headersFor(origin))) headers.append(name, value);
    }
    return fetch(url, { ...init, headers });
  };
}
