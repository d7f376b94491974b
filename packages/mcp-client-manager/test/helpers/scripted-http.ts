import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, serveOnLoopback } from '@x/test-servers';

export interface ScriptedCall {
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ScriptedHttpOptions {
  /** Answers a call of the tool `act`. Default: the text `done`. */
  readonly onCall?: ((call: ScriptedCall) => void) | undefined;
  /** Answers a GET, which asks for a stream. Default: 405, which says that there is none. */
  readonly onGet?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly onDelete?: ((response: ServerResponse) => void) | undefined;
  /** Sees every request first. @returns Whether it has answered. */
  readonly onRequest?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Sees every message of a known session first. @returns Whether it has answered. */
  readonly onMessage?: ((message: Message, response: ServerResponse) => boolean) | undefined;
  /** Default: tools alone. */
  readonly capabilities?: object | undefined;
  readonly port?: number | undefined;
}

export interface ScriptedHttp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every request: the method of HTTP for GET and DELETE, that of the protocol for POST. */
  readonly log: string[];
  /** The sessions that there are. */
  readonly sessions: Set<string>;
  /** Connections that are open now. */
  readonly connections: LoopbackServer['connections'];
  close(): Promise<void>;
}

/** A server of revision 2025-11-25 over Streamable HTTP, with sessions and one scripted tool. */
export async function startScriptedHttp(options: ScriptedHttpOptions = {}): Promise<ScriptedHttp> {
  const log: string[] = [];
  const sessions = new Set<string>();
  const server = await serveOnLoopback((request, response) => {
    const { method = '' } = request;
    if (options.onRequest?.(request, response)) return void request.resume();
    if (method !== 'POST') log.push(method);
    const session = request.headers['mcp-session-id'];
    if (method === 'GET') return void answerGet(options, request, response);
    if (method === 'DELETE') {
      sessions.delete(String(session));
      if (options.onDelete) options.onDelete(response);
      else response.writeHead(200).end();
      return;
    }
    void bodyOf(request).then((message) => {
      log.push(message.method);
      if (message.method !== 'initialize' && !sessions.has(String(session))) {
        const isProbe = session === undefined;
        return void response.writeHead(isProbe ? 400 : 404).end('no such session');
      }
      if (options.onMessage?.(message, response)) return;
      answer(message, { options, sessions, request, response });
    });
  }, options.port);
  const { close, connections, origin } = server;
  return {
    url: `${origin}/mcp`,
    port: Number(new URL(origin).port),
    log,
    sessions,
    connections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Answers with a result, as one JSON body. */
export function answerJson(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export function textResult(text: string): object {
  return { content: [{ type: 'text', text }] };
}

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params?: { readonly arguments?: Readonly<Record<string, unknown>> };
}

interface Exchange {
  readonly options: ScriptedHttpOptions;
  readonly sessions: Set<string>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function answer({ id, method, params }: Message, { options, sessions, request, response }: Exchange): void {
  if (id === undefined) return void response.writeHead(202).end();
  switch (method) {
    case 'initialize': {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      const serverInfo = { name: 'scripted', version: '1.0.0' };
      const { capabilities = { tools: {} } } = options;
      return void answerJson(response, id, { protocolVersion: '2025-11-25', capabilities, serverInfo });
    }
    case 'tools/list':
      return void answerJson(response, id, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    case 'tools/call': {
      const call = { id, args: params?.arguments ?? {}, request, response };
      if (options.onCall) options.onCall(call);
      else answerJson(response, id, textResult('done'));
      return;
    }
    default:
      return void answerJson(response, id, {});
  }
}

function answerGet({ onGet }: ScriptedHttpOptions, request: IncomingMessage, response: ServerResponse): void {
  if (onGet) onGet(request, response);
  else response.writeHead(405).end();
}

async function bodyOf(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
