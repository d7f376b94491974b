import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, parseJson } from '@x/internal/json';
import { isControlError } from '../control/control-error.js';
import type { ErrorView } from './page-messages.js';

/** Sent by the page's script. No form and no foreign page can send it without a CORS check. */
const pageHeader = 'x-mcpx-dashboard';

/**
 * Reason to refuse a request, if any. It must name this address, and come from the dashboard's page or from no page.
 *
 * @param origin - `http://127.0.0.1:4711`.
 */
export function refusalOf(request: IncomingMessage, origin: string): string | undefined {
  if (onlyValue(request, 'host') !== new URL(origin).host) return 'This host name is not served here';
  const method = request.method ?? '';
  if (!['GET', 'HEAD', 'POST'].includes(method)) return 'This method is not served here';
  const sender = onlyValue(request, 'origin');
  if (sender !== undefined && sender !== origin) return 'Pages of another origin are not served here';
  if (isFramed(request)) return 'This page cannot be framed';
  if (isFromElsewhere(request)) return 'Requests of other sites are not served';
  if (method !== 'POST') return undefined;
  if (sender === undefined) return 'Changes require an Origin header';
  if (onlyValue(request, pageHeader) !== '1') return `Changes require the header ${pageHeader}`;
  return undefined;
}

/** The value of a header; for a repeated one a value that never matches. */
export function onlyValue(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name] ?? [];
  return values.length > 1 ? '(more than one)' : values[0];
}

function isFramed(request: IncomingMessage): boolean {
  return /^(i?frame|embed|object|fencedframe)$/.test(onlyValue(request, 'sec-fetch-dest') ?? '');
}

/** Navigation from anywhere is allowed, because the page itself contains no data. */
function isFromElsewhere(request: IncomingMessage): boolean {
  const site = onlyValue(request, 'sec-fetch-site') ?? 'same-origin';
  return site !== 'same-origin' && site !== 'none' && onlyValue(request, 'sec-fetch-mode') !== 'navigate';
}

/** The page loads only the daemon's files, runs no inline script and cannot be framed or referred to. */
const safetyHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:", // images and sounds of results, of checked types
    'media-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), clipboard-read=()',
  'cache-control': 'no-store',
} as const;

export function setSafetyHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(safetyHeaders)) response.setHeader(name, value);
}

export function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

/** An error response. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Unexpected errors reveal nothing. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!isControlError(error)) return new Refusal(500, 'internal', 'The daemon could not handle this request');
  const { code, message } = error;
  return new Refusal(code.startsWith('unknown-') ? 404 : code === 'internal' ? 500 : 400, code, message);
}

export function sendRefusal(response: ServerResponse, { status, code, message }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader('connection', 'close'); // the remaining body is not read
  sendJson(response, { error: { code, message } } satisfies ErrorView, status);
}

/** @throws {Refusal} The body is no JSON object, or larger than `maxBytes`. */
export async function readJson(
  request: IncomingMessage,
  maxBytes = 16 * 1_024,
): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'invalid-request', 'The body must be application/json');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Refusal(413, 'invalid-request', `The body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw new Refusal(400, 'invalid-request', 'The body must be a JSON object');
  return value;
}
