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
  /** Largest head of a request, in bytes: its line and all headers. Default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * Time limit for the head of a request, in milliseconds; the first one counts from the connection on. Default 10
   * 000.
   */
  readonly headersTimeoutMs?: number | undefined;
  /** Time limit for a whole request, in milliseconds, without its response. Default 60 000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Idle time of a connection between two requests, in milliseconds. Default 10 000. */
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

/** Interval at which connections are checked against these limits, in milliseconds. */
const CHECK_MS = 500;

/**
 * Node's own HTTP server in front of a handler, with bounds for untrusted clients. For Node.js; other runtimes use
 * `handler.fetch`. It does not listen yet: `createHttpServer(handler).listen({ port: 8080, host: '127.0.0.1', backlog:
 * 4096 })`. The `backlog` is for many clients that connect at once; Node's default is 511.
 *
 * @param handler - Or a listener for Node's requests, made by `toNodeListener`, with its own `maxStallMs`.
 * @throws {TypeError} naming the option that is misspelt or out of its bounds.
 */
export function createHttpServer(
  handler: { readonly fetch: (request: Request) => Promise<Response> } | NodeListener,
  options?: HttpServerOptions,
): Server {
  const { tls, maxStallMs, headersTimeoutMs, requestTimeoutMs, ...others } = serverOptions.read(options);
  const bounds: ServerOptions = {
    maxHeaderSize: others.maxHeaderBytes,
    // In Node, the limit for the head cannot exceed the one for the request.
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
  // Beyond a number of headers Node drops them, and checks would miss those. Their size is bounded anyway.
  server.maxHeadersCount = 0;
  return server;
}

function checkTls(tls: SecureContextOptions & TlsOptions): SecureContextOptions & TlsOptions {
  const isGiven = (value: unknown) => value !== undefined && value !== '';
  if (isGiven(tls.pfx) || (isGiven(tls.cert) && isGiven(tls.key))) return tls;
  throw new TypeError('tls must have cert and key, the texts of a certificate and its private key, or pfx');
}
