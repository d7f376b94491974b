import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { serveOnLoopback } from '@x/test-servers';
import { answerJson, textResult } from './scripted-http.js';

interface BothEras extends AsyncDisposable {
  readonly url: string;
  /** The era and the method of each message. */
  readonly log: readonly string[];
  readonly sessions: Set<string>;
  /** Answers `initialize` of the earlier era in its place, until it is unset. */
  onInitialize: ((response: ServerResponse) => void) | undefined;
  /** Resolves when a session has ended. */
  ended(): Promise<void>;
}

/** A server of both eras at one URL, whose tool returns the era of its call. `earlier`: how it serves the earlier one. */
export async function startBothEras(earlier: 'sessions' | 'stateless' | 'refused'): Promise<BothEras> {
  const log: string[] = [];
  const sessions = new Set<string>();
  let onEnded: () => void = () => undefined;
  const tools = [{ name: 'act', inputSchema: { type: 'object' } }];
  const capabilities = { tools: {}, logging: {} };
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const session = request.headers['mcp-session-id'] as string | undefined;
    if (request.method === 'DELETE') {
      sessions.delete(session ?? '');
      onEnded();
      return void response.writeHead(200).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    const era = params?._meta?.['io.modelcontextprotocol/protocolVersion'] ? 'modern' : 'legacy';
    log.push(`${era} ${method}`);
    const results: Record<string, object> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities },
      'tools/list': { tools, ttlMs: 0, cacheScope: 'private' },
      'tools/call': textResult(era),
    };
    if (era === 'modern') return void answerJson(response, id, { resultType: 'complete', ...results[method] });
    if (method === 'initialize' && server.onInitialize) return server.onInitialize(response);
    const isKnown = earlier === 'stateless' || sessions.has(session ?? '') || method === 'initialize';
    if (earlier === 'refused' || !isKnown) return void response.writeHead(earlier === 'refused' ? 400 : 404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method !== 'initialize') return void answerJson(response, id, results[method] ?? {});
    const name = randomUUID();
    if (earlier === 'sessions') response.setHeader('mcp-session-id', name);
    if (earlier === 'sessions') sessions.add(name);
    const serverInfo = { name: 'both', version: '1' };
    answerJson(response, id, { protocolVersion: '2025-11-25', capabilities, serverInfo });
  });
  const ended = (): Promise<void> => new Promise((resolve) => (onEnded = resolve));
  const url = `${origin}/mcp`;
  const server: BothEras = { url, log, sessions, ended, onInitialize: undefined, [Symbol.asyncDispose]: close };
  return server;
}
