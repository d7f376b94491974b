import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveOnLoopback } from '@x/test-servers';
import { answerJson, textResult } from './scripted-http.js';

export interface ModernHttpOptions {
  /** Default: one, `act`. */
  readonly tools?: readonly object[] | undefined;
  /** Sees every message first. @returns Whether it has answered. */
  readonly onMessage?:
    | ((method: string, request: IncomingMessage, response: ServerResponse, id: unknown) => boolean)
    | undefined;
}

export interface ModernHttp extends AsyncDisposable {
  readonly url: string;
}

/** A server of revision 2026-07-28 over Streamable HTTP with a list of tools, each of which is `done` at once. */
export async function startModernHttp({
  tools = [{ name: 'act', inputSchema: { type: 'object' } }],
  onMessage = () => false,
}: ModernHttpOptions = {}): Promise<ModernHttp> {
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools, ttlMs: 0, cacheScope: 'private' },
    'tools/call': textResult('done'),
  };
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await textOfRequest(request));
    if (onMessage(method, request, response, id)) return;
    answerJson(response, id, { resultType: 'complete', ...results[method] });
  });
  return { url: `${origin}/mcp`, [Symbol.asyncDispose]: close };
}

async function textOfRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
