const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';

/** What a browser asks before it lets a page of another origin send its request; the guard has let the origin through. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}

export function answerPreflight(request: Request): Response {
  // Tools may ask for headers of their own, `Mcp-Param-…`, so what the page asks for is added.
  const wanted =
    (request.headers.get('access-control-request-headers') ?? '').match(/\bmcp-param-[\w-]{1,100}/gi) ?? [];
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-allow-headers': [ALLOWED_HEADERS, ...wanted.slice(0, 100)].join(', '),
      'access-control-max-age': '600',
    },
  });
}

/** Lets the page that asked read the answer. */
export function withOrigin(response: Response, request: Request): Response {
  const origin = request.headers.get('origin');
  if (origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', EXPOSED_HEADERS);
  headers.append('vary', 'Origin');
  const { status, statusText, body } = response;
  return new Response(body, { status, statusText, headers });
}
