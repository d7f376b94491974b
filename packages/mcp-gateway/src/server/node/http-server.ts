import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { bytes, milliseconds, optionTable } from '@x/internal/options';
import { listenerRows, type NodeListener, type NodeListenerOptions, toNodeListener } from './node-listener.js';

/** Bounds of Node's own server, before a handler sees a request. */
export interface HttpServerOptions extends NodeListenerOptions {
  /** Serves HTTPS: a certificate and its key, or a `pfx`, as in Node's TLS options. Default: plain HTTP. */
  readonly tls?: (SecureContextOptions & TlsOptions) | undefined;
  /** Maximum number of connections; further ones are closed without a response. Default 10 000. */
  readonly maxConnections?: number | undefined;
  /** Maximum size of a request's line and headers, in bytes. Default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * Time limit for receiving the headers, in milliseconds, and for the first request since the connection. Default 10
   * 000.
   */
  readonly headersTimeoutMs?: number | undefined;
  /** Time limit for receiving a whole request, in milliseconds. Default 60 000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Time after which a connection without a request closes, in milliseconds. Default 10 000. */
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

const CHECK_MS = 500;

/**
 * Creates Node's own HTTP server for a handler, with bounds for untrusted clients. It does not listen yet:
 * `createHttpServer(handler).listen({ port: 8080, host: '127.0.0.1', backlog: 4096 })`. `backlog` is for many clients
 * that connect at once; Node's default is 511.
 *
 * @param handler - Or a listener of `toNodeListener`, with its own `maxStallMs`.
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function createHttpServer(
  handler: { readonly fetch: (request: Request) => Promise<Response> } | NodeListener,
  options?: HttpServerOptions,
): Server {
  const { tls, maxStallMs, headersTimeoutMs, requestTimeoutMs, ...others } = serverOptions.read(options);
  const bounds: ServerOptions = {
    maxHeaderSize: others.maxHeaderBytes,
    // Node's limit for the headers cannot exceed that for the request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: others.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    insecureHTTPParser: false,
  };
  // Node would call it with its own kind of request, and no response would follow.
  if (typeof handler === 'function' && handler.length === 1) {
    throw new TypeError('The handler must be passed as it is, not its fetch: createHttpServer(handler)');
  }
  const listener = typeof handler === 'function' ? handler : toNodeListener(handler, { maxStallMs });
  const server =
    tls === undefined
      ? createServer(bounds, listener)
      : createTlsServer({ handshakeTimeout: headersTimeoutMs, ...checkTls(tls), ...bounds }, listener);
  server.maxConnections = others.maxConnections;
  // Node drops headers beyond a number, and checks would miss them. Their size is bounded.
  server.maxHeadersCount = 0;
  return server;
}

function checkTls(tls: SecureContextOptions & TlsOptions): SecureContextOptions & TlsOptions {
  const isGiven = (value: unknown) => value !== undefined && value !== '';
  if (isGiven(tls.pfx) || (isGiven(tls.cert) && isGiven(tls.key))) return tls;
  throw new TypeError('tls must have cert and key, the texts of a certificate and its private key, or pfx');
}
