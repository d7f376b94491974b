import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, parseJson } from '@x/internal/json';
import type { ErrorView } from './page-messages.js';

const maxBodyBytes = 16 * 1_024;

/** The page loads only the daemon's files, runs no inline script and cannot be framed or referred to. */
const safetyHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
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

export function sendRefusal(response: ServerResponse, { status, code, message }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader('connection', 'close'); // the remaining body is not read
  sendJson(response, { error: { code, message } } satisfies ErrorView, status);
}

/** @throws {Refusal} The body is no JSON object, or too large. */
export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'invalid-request', 'The body must be application/json');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes)
      throw new Refusal(413, 'invalid-request', `The body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw new Refusal(400, 'invalid-request', 'The body must be a JSON object');
  return value;
}
