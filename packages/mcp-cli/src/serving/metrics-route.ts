import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeListener } from '@x/mcp-gateway';
import { contentType, type PrometheusMetrics } from '../telemetry/prometheus-metrics.js';

interface MetricsAccess {
  readonly metrics: Pick<PrometheusMetrics, 'text'>;
  /** The token of the scraper, which is none of a client. */
  readonly token: string;
  /** In lower case, with or without a port. */
  readonly allowedHosts: readonly string[];
}

/** Responds to scrapers with the right token. Requests of web pages are refused. */
export function metricsListener({ metrics, token, allowedHosts }: MetricsAccess): NodeListener {
  const expected = digest(`Bearer ${token}`);
  return (request, response) => {
    const refusal = refusalOf(request, allowedHosts);
    if (refusal !== undefined) return respond(response, refusal);
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      return respond(response, { status: 401, text: 'The metrics need their token\n' });
    }
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : metrics.text());
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

function refusalOf({ method, headers }: IncomingMessage, allowedHosts: readonly string[]): Refusal | undefined {
  const host = (headers.host ?? '').toLowerCase();
  if (![host, host.replace(/:\d+$/, '')].some((name) => allowedHosts.includes(name)))
    return { status: 403, text: 'This host name is not allowed\n' };
  if (headers.origin !== undefined) return { status: 403, text: 'Web pages may not read the metrics\n' };
  return method === 'GET' || method === 'HEAD' ? undefined : { status: 405, text: 'Only GET is supported here\n' };
}

function respond(response: ServerResponse, { status, text }: Refusal): void {
  const headers = { 401: { 'www-authenticate': 'Bearer' }, 405: { allow: 'GET, HEAD' } }[status];
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(text);
}

/** Of equal length, so that the comparison takes equal time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
