import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { addEchoTools } from '../serving/sdk-echo-tools.js';
import { serveOnLoopback } from './loopback.js';
import type { OAuthServer } from './oauth-server.js';

export interface ProtectedEcho extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  /** Missing scope for which every token is rejected, if set. */
  asksFor: string | undefined;
  close(): Promise<void>;
}

/**
 * The `echo` and `pid` tools over Streamable HTTP, in this process, for tokens of `authorization`. Only the rejection
 * names the URL of its metadata.
 */
export async function startProtectedEcho(authorization: OAuthServer): Promise<ProtectedEcho> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'protected-echo', version: '1.0.0' });
    addEchoTools(server);
    return server;
  });
  // Cast: its request type has no `undefined` as `method`.
  const serve = toNodeHandler(handler) as RequestListener;
  const echo: { asksFor: string | undefined } = { asksFor: undefined };
  let origin = '';
  const server = await serveOnLoopback((request, response) => {
    if (request.url === '/about') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const about = { resource: `${origin}/mcp`, authorization_servers: [authorization.issuer] };
      return void response.end(JSON.stringify(about));
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (echo.asksFor !== undefined) {
      const challenge = `Bearer error="insufficient_scope", scope="${echo.asksFor}"`;
      request.resume();
      return void response.writeHead(403, { 'www-authenticate': challenge }).end();
    }
    if (authorization.isValid(token)) return serve(request, response);
    const challenge = `Bearer error="invalid_token", resource_metadata="${origin}/about"`;
    request.resume();
    response.writeHead(401, { 'www-authenticate': challenge }).end(`not for ${request.headers.authorization}`);
  });
  origin = server.origin;
  const { close } = server;
  return Object.assign(echo, { origin, url: `${origin}/mcp`, close, [Symbol.asyncDispose]: close });
}
