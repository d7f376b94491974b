import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveOnLoopback } from './loopback.js';

/** Responses to an unknown method, as stdio servers of the 2025 revisions give them. */
export const stdioRefusals = [
  'error -32601',
  'error of another code',
  'error without an id',
  'a line of text',
  'silence',
  'exit',
] as const;

export type StdioRefusal = (typeof stdioRefusals)[number];

type Refusal = (response: ServerResponse, id: unknown) => void;

const json = { 'content-type': 'application/json' };

/** Responses to an unknown method, as HTTP servers of the 2025 revisions give them. */
export const httpRefusals = {
  '200, error -32601': (response, id) => response.writeHead(200, json).end(errorOf(id)),
  '200, error without an id': (response) => response.writeHead(200, json).end(errorOf(null, -32_600)),
  '200, HTML': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>'),
  '200, empty': (response) => response.writeHead(200, json).end(),
  '200, a stream that ends': (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  '202': (response) => response.writeHead(202).end(),
  '204': (response) => response.writeHead(204).end(),
  '400, JSON': (response, id) => response.writeHead(400, json).end(errorOf(id, -32_600)),
  '400, text': (response) => response.writeHead(400, { 'content-type': 'text/plain' }).end('Bad Request'),
  '404': (response) => response.writeHead(404).end(),
  '405': (response) => response.writeHead(405).end(),
  '500': (response) => response.writeHead(500).end('Internal Server Error'),
  '501': (response) => response.writeHead(501).end(),
  'connection dropped': (response) => response.destroy(),
  silence: () => undefined,
} as const satisfies Readonly<Record<string, Refusal>>;

export type HttpRefusal = keyof typeof httpRefusals;

export interface HttpRefusing extends AsyncDisposable {
  readonly url: string;
  /** Methods of the clients' requests, in order. */
  readonly log: readonly string[];
  /** Sends a discover result to every unanswered request. */
  answerLate(): void;
}

/** A server of revision 2025-06-18 with the tool `echo`, which rejects all but four methods. */
export async function startHttpRefusing(refusal: HttpRefusal): Promise<HttpRefusing> {
  const log: string[] = [];
  const unanswered: (() => void)[] = [];
  const { origin, close } = await serveOnLoopback((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void textOf(request).then((text) => {
      const { id, method, params } = JSON.parse(text);
      log.push(method);
      if (id === undefined) return void response.writeHead(202).end();
      const result = resultOf(method, params);
      if (result) return void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const late = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      unanswered.push(() => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result: late })));
      httpRefusals[refusal](response, id);
    });
  });
  return {
    url: `${origin}/mcp`,
    log,
    answerLate: () => {
      for (const answer of unanswered.splice(0)) answer();
    },
    [Symbol.asyncDispose]: close,
  };
}

function resultOf(method: string, params: { arguments?: { text?: string } } | undefined): object | undefined {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'refuses-unknown', version: '1.0.0' };
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    }
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: String(params?.arguments?.text) }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

function errorOf(id: unknown, code = -32_601): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'Method not found' } });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
