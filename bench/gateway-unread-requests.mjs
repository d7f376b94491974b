export function modernRequest(method, params, meta = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
}

/** The bytes of a POST, for a socket. */
export function requestText(message, { token, version, headers }) {
  const body = JSON.stringify(message);
  const all = { host: 'localhost', 'content-length': body.length, ...headersOf({ token, version, headers }) };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export function headersOf({ token, version = '2026-07-28', headers }) {
  return {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': version,
    authorization: `Bearer ${token}`,
    ...headers,
  };
}
