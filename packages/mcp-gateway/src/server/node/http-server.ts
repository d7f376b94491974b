import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { bytes, milliseconds, optionTable } from '@x/internal/options';
import { listenerRows, type NodeListener, type NodeListenerOptions, toNodeListener } from './node-listener.js';

/** What Node's own server bounds, before a handler sees a request. */
export interface HttpServerOptions extends NodeListenerOptions {
  /** Serves HTTPS with these: a certificate and its key, or a `pfx`, as Node's TLS has them. Default: plain HTTP. */
  readonly tls?: (SecureContextOptions & TlsOptions) | undefined;
  /** Most connections at a time; one more is closed unanswered. Default 10 000. */
  readonly maxConnections?: number | undefined;
  /** Largest head of a request, in bytes: its line and all headers. Default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /** How long the head of a request may take to arrive, in milliseconds; the first one from the connection on. Default 10 000. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a whole request may take to arrive, in milliseconds; how long its answer takes has no part in it. Default 60 000. */
  readonly requestTimeoutMs?: number | undefined;
  /** How long a connection may be without a request, after an answer, in milliseconds. Default 10 000. */
  readonly keepAliveTimeoutMs?: number | undefined;
}

const serverOptions = optionTable<HttpServerOptions>()({
  ...listenerRows,
  tls: { kind: 'object' },
  maxConnections: { kind: 'number', of: 'connections', min: 1, default: 10_000 },
  maxHeaderBytes: { ...bytes, default: 16 * 1024 },
  headersTimeoutMs: { ...milliseconds, default: 10_000 },
  requestTimeoutMs: { ...milliseconds, default: 60_000 },
  keepAliveTimeoutMs: { ...milliseconds, default: 10_000 },
});

/** How often connections are looked at for being late, in milliseconds. */
const CHECK_MS = 500;

/**
 * Node's own HTTP server in front of a handler, with the bounds that one that strangers can reach should have. For
 * Node.js; other runtimes take `handler.fetch`. It is not listening yet:
 * `createHttpServer(handler).listen({ port: 8080, host: '127.0.0.1', backlog: 4096 })`. The `backlog` is for many clients
 * that connect at once; Node's default is 511.
 *
 * @param handler - Or a listener for Node's requests that has one behind it, made by `toNodeListener`; that one has its own
 * `maxStallMs` then.
 * @throws {TypeError} naming the option that is misspelt or out of its bounds.
 */
export function createHttpServer(
  handler: { readonly fetch: (request: Request) => Promise<Response> } | NodeListener,
  options?: HttpServerOptions,
): Server {
  const { tls, maxStallMs, headersTimeoutMs, requestTimeoutMs, ...others } = serverOptions.read(options);
  const bounds: ServerOptions = {
    maxHeaderSize: others.maxHeaderBytes,
    // Node takes no longer wait for the head than for the whole.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: others.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    insecureHTTPParser: false,
  };
  const listener = typeof handler === 'function' ? handler : toNodeListener(handler, { maxStallMs });
  const server =
    tls === undefined
      ? createServer(bounds, listener)
      : createTlsServer({ handshakeTimeout: headersTimeoutMs, ...checkTls(tls), ...bounds }, listener);
  server.maxConnections = others.maxConnections;
  // Beyond a number of them Node leaves headers out, and the checks would not see those. Their size is bounded anyway.
  server.maxHeadersCount = 0;
  return server;
}

function checkTls(tls: SecureContextOptions & TlsOptions): SecureContextOptions & TlsOptions {
  const isGiven = (value: unknown) => value !== undefined && value !== '';
  if (isGiven(tls.pfx) || (isGiven(tls.cert) && isGiven(tls.key))) return tls;
  throw new TypeError('tls must have cert and key, the texts of a certificate and its private key, or pfx');
}
