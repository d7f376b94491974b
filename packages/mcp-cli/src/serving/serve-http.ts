import type { Server } from 'node:http';
import { createHttpServer, type Gateway, type NodeListener, toNodeListener } from '@x/mcp-gateway';
import { type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { Access } from './access.js';
import { hostInUrl } from './bind-address.js';
import { Gate } from './gate.js';
import type { HttpPlan } from './http-plan.js';
import { listen } from './listen.js';
import { OpenRequests } from './open-requests.js';
import { atPaths } from './routes.js';
import type { TlsFiles } from './tls-files.js';

/** Time for open requests to finish, in milliseconds. */
const drainMs = 5_000;

export interface HttpServing {
  readonly plan: HttpPlan;
  readonly access: Access;
  readonly tls: TlsFiles | undefined;
  /** Called when the server listens; requests wait for it. */
  readonly start: (signal: AbortSignal) => Promise<void>;
  readonly onListening: (url: string) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Serves over HTTP until interrupted. Then lets open requests finish within a few seconds, and resolves once the port is
 * free. Does not stop the servers.
 *
 * @throws {CommandError} The address cannot be used.
 */
export async function serveHttp(gateway: Gateway, serving: HttpServing, io: Io): Promise<ExitCode> {
  const { plan, tls, start, onListening, onError } = serving;
  const gate = new Gate();
  const server = createHttpServer(gate.listener, tls === undefined ? {} : { tls });
  const requests = new OpenRequests(server);
  const port = await listen(server, plan);
  server.on('error', onError); // transient, such as too many open files
  try {
    const url = `${tls === undefined ? 'http' : 'https'}://${hostInUrl(plan.host)}:${port}${plan.path}`;
    const listener = answering(gateway, serving, url);
    await start(io.signal);
    gate.open(listener);
    onListening(url);
    await aborted(io.signal);
    io.stderr.write(`Shutting down. Open requests have ${drainMs / 1_000} seconds to finish.\n`);
  } finally {
    gate.end();
    const closed = close(server);
    await requests.finished(drainMs);
    await gateway.close();
    server.closeAllConnections();
    await closed;
  }
  return exitCodes.interrupted;
}

function answering(gateway: Gateway, { plan, access }: HttpServing, url: string): NodeListener {
  const { allowedHosts, allowedOrigins, path } = plan;
  const isSignedIn = plan.access.kind === 'identity' && plan.access.jwt !== undefined;
  const resource = isSignedIn ? (plan.publicUrl ?? url) : undefined;
  const issuers = plan.access.kind === 'identity' && plan.access.jwt ? [plan.access.jwt.issuer] : [];
  const resourceMetadata = resource === undefined ? undefined : { resource, authorizationServers: issuers };
  try {
    const options = { ...access.callers, allowedHosts, allowedOrigins, resourceMetadata };
    const listener = toNodeListener(gateway.handler(options, access.audienceOf));
    return atPaths({ path, publicPath: resource && new URL(resource).pathname }, listener);
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
