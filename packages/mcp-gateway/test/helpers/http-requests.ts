/** Requests as programs send them to a handler, without a client library. */
const ENDPOINT = 'http://localhost/mcp';
const ACCEPT = 'application/json, text/event-stream';

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function initialize(protocolVersion = '2025-11-25') {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

export function modernRequest(method: string, params: object = {}) {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } };
}

export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

/** @param headers - Beside those that every request has. */
export function postRequest(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | object,
  headers: Readonly<Record<string, string>> = {},
): Request {
  const isReady = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: isReady ? (body as string) : JSON.stringify(body),
    duplex: 'half',
  };
  return new Request(ENDPOINT, init);
}

export function streamRequest(headers: Readonly<Record<string, string>>): Request {
  return new Request(ENDPOINT, { headers: { host: 'localhost', accept: ACCEPT, ...headers } });
}

/** Opens a session of the earlier revisions and gives its id. */
export async function openSession(
  fetch: (request: Request) => Promise<Response>,
  headers: Readonly<Record<string, string>> = {},
  protocolVersion?: string,
): Promise<string> {
  const answer = await fetch(postRequest(initialize(protocolVersion), headers));
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}
