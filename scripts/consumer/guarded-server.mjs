// An MCP server over HTTP that wants a token, and the authorization server that has one for the program `app`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'web', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'greet', description: 'Greets somebody by name', inputSchema: { type: 'object' } }],
  }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: `Hello, ${args.name}` }] }),
};
const credentials = `Basic ${btoa('app:app-secret')}`;

/** Starts it on a free port of the loopback interface. */
export async function startGuardedServer() {
  const server = createServer(async (request, response) => {
    const [status, body, headers] = await answerTo(request, `http://${request.headers.host}`);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

async function answerTo(request, origin) {
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  if (`${origin}${request.url}` === metadata) {
    return [200, { resource: `${origin}/mcp`, authorization_servers: [origin] }];
  }
  if (request.url === '/.well-known/oauth-authorization-server') return [200, authorizationServer(origin)];
  if (request.method !== 'POST') return [405, {}];
  if (request.url === '/token') return grant(request.headers, new URLSearchParams(await text(request)));
  if (request.headers.authorization !== 'Bearer granted') {
    return [401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }];
  }
  const { id, method, params } = await json(request);
  if (id === undefined) return [202, ''];
  const result = results[method]?.(params);
  const error = { code: -32601, message: `Method not found: ${method}` };
  return [200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) }];
}

function authorizationServer(origin) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  };
}

function grant({ authorization }, form) {
  const isRight = authorization === credentials && form.get('grant_type') === 'client_credentials';
  return isRight ? [200, { access_token: 'granted', token_type: 'Bearer' }] : [400, { error: 'invalid_client' }];
}
