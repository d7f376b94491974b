import type { Server } from 'node:http';
import { localhostHostValidation } from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Tools } from '@x/mcp';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type Caller, Sessions } from './sessions.js';

export interface AppOptions {
  readonly tools: Tools;
  readonly callerOf: (token: string) => Caller | undefined;
}

/** The host: an Express app with routes of its own and an MCP server at `/mcp`. */
export function createApp({ tools, callerOf }: AppOptions): { readonly app: Express; readonly sessions: Sessions } {
  const sessions = new Sessions(tools);
  const app = express();
  app.get('/health', (_request, response) => void response.json({ tools: tools.list().length }));
  // The caller is known before the request's body is read.
  app.use('/mcp', localhostHostValidation(), identify(callerOf), express.json({ limit: '4mb' }));
  app.all('/mcp', async (request, response) => {
    const transport = await transportFor(request, response.locals.caller);
    if (transport === undefined) return refuse(response, 404, 'There is no such session; begin a new one');
    await transport.handleRequest(request, response, request.body);
  });
  return { app, sessions };

  function transportFor(request: Request, caller: Caller) {
    const id = request.get('mcp-session-id');
    if (id !== undefined) return sessions.find(id, caller);
    return isInitializeRequest(request.body) ? sessions.open(caller) : undefined;
  }
}

function identify(callerOf: AppOptions['callerOf']): RequestHandler {
  return (request, response, next) => {
    const caller = callerOf(/^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '');
    if (caller === undefined) return refuse(response.set('www-authenticate', 'Bearer'), 401, 'This needs a token');
    response.locals.caller = caller;
    next();
  };
}

function refuse(response: Response, status: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
}

/** Ends what streams are open, which would keep the server from closing. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
