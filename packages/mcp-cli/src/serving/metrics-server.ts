import { once } from 'node:events';
import { createServer } from 'node:http';
import { loopbackNames } from './bind-address.js';
import { metricsPath } from './fixed-paths.js';
import { listen } from './listen.js';
import { metricsListener } from './metrics-route.js';
import { readTokenFile } from './token-file.js';

export interface MetricsServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Absolute path. */
  readonly tokenFile: string;
}

export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

const host = '127.0.0.1';
const maxConnections = 20;
/** Slow connections leave their slots to the scraper after this time. */
const headersTimeoutMs = 2_000;

/**
 * Serves metrics to scrapers of this machine.
 *
 * @throws {CommandError} The port is in use, or the token file is invalid.
 */
export async function openMetricsServer(
  { port, tokenFile }: MetricsServerOptions,
  metrics: Parameters<typeof metricsListener>[0]['metrics'],
): Promise<MetricsServer> {
  const respond = metricsListener({ metrics, token: await readTokenFile(tokenFile), allowedHosts: loopbackNames });
  const server = createServer({
    requireHostHeader: true,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 500,
  });
  server.maxConnections = maxConnections;
  server.on('request', (request, response) => {
    if (request.url?.split('?', 1)[0] === metricsPath) return respond(request, response);
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(`The metrics are at ${metricsPath}\n`);
  });
  const used = await listen(server, { host, port, option: '--metrics-port' });
  return {
    url: `http://${host}:${used}${metricsPath}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
