import type { IncomingMessage } from 'node:http';

/** Says that a request comes from a script of the page: no form and no foreign page can send it unasked. */
const pageHeader = 'x-mcpx-dashboard';

/**
 * Why a request must not pass, before anything else is looked at; `undefined` when it may. It has to name this very
 * address, and to come from our own page or from no page at all.
 *
 * @param origin - `http://127.0.0.1:4711`.
 */
export function refusalOf(request: IncomingMessage, origin: string): string | undefined {
  if (onlyValue(request, 'host') !== new URL(origin).host) return 'This host name is not served here';
  const method = request.method ?? '';
  if (!['GET', 'HEAD', 'POST'].includes(method)) return 'This method is not served here';
  const sender = onlyValue(request, 'origin');
  if (sender !== undefined && sender !== origin) return 'Pages of another origin are not served here';
  if (isFramed(request)) return 'This page is not shown inside another one';
  if (isFromElsewhere(request)) return 'Other sites are not served here';
  if (method !== 'POST') return undefined;
  if (sender === undefined) return 'What changes something needs an Origin header';
  if (onlyValue(request, pageHeader) !== '1') return `What changes something needs the header ${pageHeader}`;
  return undefined;
}

/** The value of a header that came exactly once; of one that came more often, a value that is never right. */
export function onlyValue(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name] ?? [];
  return values.length > 1 ? '(more than one)' : values[0];
}

function isFramed(request: IncomingMessage): boolean {
  return /^(i?frame|embed|object|fencedframe)$/.test(onlyValue(request, 'sec-fetch-dest') ?? '');
}

/** A link may be followed from anywhere: what it leads to holds nothing. Everything else comes from the page itself. */
function isFromElsewhere(request: IncomingMessage): boolean {
  const site = onlyValue(request, 'sec-fetch-site') ?? 'same-origin';
  return site !== 'same-origin' && site !== 'none' && onlyValue(request, 'sec-fetch-mode') !== 'navigate';
}
