import type { IncomingMessage } from 'node:http';

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
