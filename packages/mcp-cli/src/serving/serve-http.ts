import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { createHttpServer, type Gateway, type NodeListener, toNodeListener } from '@x/mcp-gateway';
import type { ExitCode, Io } from '../command.js';
import { exitCodes, UsageError } from '../command.js';
import type { Access } from './access.js';
import { hostInUrl } from './bind-address.js';
import { drain } from './drain.js';
import { metadataPaths, metricsPath } from './fixed-paths.js';
import type { HttpPlan } from './http-plan.js';
import { listen } from './listen.js';
import { Probes } from './probes.js';
import type { TlsFiles } from './tls-files.js';

interface HttpServing {
  readonly plan: HttpPlan;
  readonly access: Access;
  readonly tls: TlsFiles | undefined;
  readonly drainMs: number;
  /** Creates what responds at `/metrics`, once the server listens. Default: nothing does. */
  readonly metrics?: (() => Promise<NodeListener | undefined>) | undefined;
  /** Called when the server listens; requests wait for it. */
  readonly start: (signal: AbortSignal) => Promise<void>;
  /** Settles when every server has started or failed. */
  readonly whenSettled: () => Promise<unknown>;
  readonly onListening: (url: string) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Serves over HTTP until interrupted. Then refuses new requests, lets open ones finish within `drainMs`, and resolves
 * once the port is free. Until then it listens, for probes, unless `io.gone` aborts. Does not stop the servers.
 *
 * @throws {CommandError} The address cannot be used.
 */
export async function serveHttp(gateway: Gateway, serving: HttpServing, io: Io): Promise<ExitCode> {
  const { plan, access, tls, metrics, drainMs, start, whenSettled, onListening, onError } = serving;
  const probes = new Probes(plan);
  const gate = new Gate(probes);
  const server = createHttpServer(gate.listener, tls === undefined ? {} : { tls });
  const port = await listen(server, plan);
  server.on('error', onError); // transient, such as too many open files
  let isDrained = false;
  let closed: Promise<void> | undefined;
  const stopListening = (): Promise<void> => {
    closed ??= close(server);
    return closed;
  };
  if (io.gone !== undefined) void aborted(io.gone).then(stopListening);
  try {
    const url = `${tls === undefined ? 'http' : 'https'}://${hostInUrl(plan.host)}:${port}${plan.path}`;
    const listener = createListener(gateway, { plan, access, metrics: await metrics?.() }, url);
    await start(io.signal);
    gate.open(listener);
    onListening(url);
    void whenSettled().then(() => probes.enter('ready'));
    await aborted(io.signal);
    probes.enter('draining');
    gate.closesConnections = true;
    isDrained = await drain(gateway, drainMs, io);
  } finally {
    gate.end();
    const isClosed = stopListening();
    await gateway.close();
    server.closeAllConnections();
    await isClosed;
  }
  return isDrained ? exitCodes.ok : exitCodes.interrupted;
}

function createListener(
  gateway: Gateway,
  { plan, access, metrics }: Pick<HttpServing, 'plan' | 'access'> & Pick<Routes, 'metrics'>,
  url: string,
): NodeListener {
  const { allowedHosts, allowedOrigins, path } = plan;
  const isSignedIn = plan.access.kind === 'identity' && plan.access.jwt !== undefined;
  const resource = isSignedIn ? (plan.publicUrl ?? url) : undefined;
  const issuers = plan.access.kind === 'identity' && plan.access.jwt ? [plan.access.jwt.issuer] : [];
  const resourceMetadata = resource === undefined ? undefined : { resource, authorizationServers: issuers };
  try {
    const options = { ...access.callers, allowedHosts, allowedOrigins, resourceMetadata };
    const listener = toNodeListener(gateway.handler(options, access.audienceOf));
    return atPaths({ path, publicPath: resource && new URL(resource).pathname, metrics }, listener);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const message = cause.message.replace(/^allowed(Host|Origin)s\b/, (_, what) => `--allowed-${what.toLowerCase()}`);
    throw new UsageError(`${message}.`, { cause });
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Queues requests until a listener opens the gate. Rejects requests after the end. Probes never wait. */
class Gate {
  /** Lets clients reconnect, to another replica behind a load balancer. */
  closesConnections = false;
  readonly #probes: Probes;
  #waiting: [IncomingMessage, ServerResponse][] = [];
  #open: NodeListener | undefined;

  constructor(probes: Probes) {
    this.#probes = probes;
  }

  readonly listener: NodeListener = (request, response) => {
    if (this.closesConnections) response.setHeader('connection', 'close');
    if (this.#probes.answer(request, response)) return;
    if (this.#open === undefined) this.#waiting.push([request, response]);
    else this.#open(request, response);
  };

  open(listener: NodeListener): void {
    this.#open = listener;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [request, response] of waiting) listener(request, response);
  }

  end(): void {
    this.open((_, response) => rejectAtEnd(response));
  }
}

/** Closes the connection, so that a retry opens a new one. */
function rejectAtEnd(response: ServerResponse): void {
  const problem = { status: 503, code: -32_000, message: 'The gateway is shutting down' };
  sendRpcError(response, problem, { connection: 'close', 'retry-after': '5' });
}

interface Routes {
  readonly path: string;
  /** Public path, if clients need OAuth metadata. */
  readonly publicPath: string | undefined;
  readonly metrics: NodeListener | undefined;
}

/** Serves the endpoint, its OAuth metadata and metrics; responds 404 to everything else. */
function atPaths({ path, publicPath, metrics }: Routes, listener: NodeListener): NodeListener {
  const served = new Set([path, ...(publicPath === undefined ? [] : metadataPaths(publicPath))]);
  return (request, response) => {
    const [requested = ''] = (request.url ?? '').split('?', 1);
    if (served.has(requested)) return listener(request, response);
    if (metrics !== undefined && requested === metricsPath) return metrics(request, response);
    sendRpcError(response, { status: 404, code: -32_601, message: `Not found; the endpoint is ${path}` });
  };
}

/** Responds with a JSON-RPC error to a request that does not reach the gateway. */
function sendRpcError(
  response: ServerResponse,
  { status, code, message }: { readonly status: number; readonly code: number; readonly message: string },
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}
