import { createServer } from 'node:http';

/**
 * MCP servers over Streamable HTTP at `/mcp/<name>` and over SSE alone at `/sse/<name>`. Records the headers `x-…` of each
 * request that has a name.
 *
 * @returns {Promise<{ url: string, requests: { name: string, transport: 'http' | 'sse', headers: object }[], close(): void }>}
 */
export async function openWebProbe() {
  const requests = [];
  const streams = new Map();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const [, kind, name = ''] = pathname.split('/');
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([key]) => key.startsWith('x-')));
    if (kind === 'mcp' && request.method === 'POST') {
      requests.push({ name: decodeURIComponent(name), transport: 'http', headers });
      return answerPost(JSON.parse(body), response);
    }
    if (kind === 'sse' && request.method === 'GET') {
      requests.push({ name: decodeURIComponent(name), transport: 'sse', headers });
      const id = String(streams.size + 1);
      streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`event: endpoint\ndata: /message?stream=${id}\n\n`);
    }
    if (kind === 'message') {
      response.writeHead(202).end();
      const message = JSON.parse(body);
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
      const stream = streams.get(searchParams.get('stream'));
      return message.id === undefined ? undefined : stream?.write(`event: message\ndata: ${answer}\n\n`);
    }
    return response.writeHead(kind === 'mcp' || kind === 'sse' ? 405 : 404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

function answerPost(message, response) {
  if (message.id === undefined) return response.writeHead(202).end();
  const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
  return response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
}

function resultOf({ method, params }) {
  if (method === 'tools/list') return { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] };
  if (method !== 'initialize') return {};
  const serverInfo = { name: 'web-probe', version: '1' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}
