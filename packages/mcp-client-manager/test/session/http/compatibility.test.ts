import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type LoopbackServer, serveOnLoopback } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagerError } from '../../../src/errors.js';
import { startScriptedHttp } from '../../helpers/scripted-http.js';
import { failureOf, managerOf, stateOf, textOf } from '../../helpers/servers.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const server = await serveOnLoopback(listener);
  closing.push(server.close);
  return server;
}

interface SseServer {
  readonly url: string;
  readonly log: string[];
  readonly headers: unknown[];
  endStream(): void;
}

/** A server of revision 2024-11-05: a stream from GET, messages to the address that the stream names first. */
async function startSseServer({ refusal = 405 } = {}): Promise<SseServer> {
  const log: string[] = [];
  const headers: unknown[] = [];
  let stream: ServerResponse | undefined;
  const { origin } = await serve(async (request, response) => {
    log.push(`${request.method} ${request.url}`);
    headers.push(request.headers['x-team']);
    if (request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write('event: endpoint\ndata: /messages?session=1\n\n');
    }
    const message = JSON.parse(await textOfRequest(request));
    if (!request.url?.startsWith('/messages')) return void response.writeHead(refusal).end();
    response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      },
      'tools/list': { tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
      ping: {},
    };
    const result = results[message.method];
    if (result) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
  });
  return { url: `${origin}/sse`, log, headers, endStream: () => void stream?.end() };
}

async function textOfRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test.each([
  ['auto', 405],
  ['auto', 404],
  ['legacy', 400],
] as const)('a server of revision 2024-11-05 is spoken to over HTTP+SSE (%s, %i)', async (protocol, refusal) => {
  const server = await startSseServer({ refusal });
  await using manager = managerOf({ name: 'old', url: server.url, protocol, headers: { 'X-Team': 'red' } });
  expect(textOf(await manager.callTool('old', 'act'))).toBe('done');
  expect(manager.server('old').session).toMatchObject({ era: 'legacy', protocolVersion: '2024-11-05' });
  expect(await manager.server('old').checkHealth()).toBe(true);
  expect(new Set(server.headers)).toEqual(new Set(['red']));
});

test('the end of the stream ends a session of revision 2024-11-05', async () => {
  const server = await startSseServer();
  await using manager = managerOf({ name: 'old', url: server.url });
  await manager.server('old').start();
  const back = stateOf(manager, 'old', (state) => state.phase === 'ready' && state.generation === 2);
  server.endStream();
  await back;
  expect(textOf(await manager.callTool('old', 'act'))).toBe('done');
});

test('names both attempts if the server refuses both transports', async () => {
  const { origin } = await serve((request, response) => {
    request.resume();
    response.writeHead(request.method === 'GET' ? 503 : 404).end('secret');
  });
  await using manager = managerOf({ name: 'web', url: `${origin}/wrong?key=secret` });
  const error = (await failureOf(manager.server('web').start())) as ManagerError;
  expect(error.message).toContain(
    `Server "web" refused the connection at ${origin}: over Streamable HTTP, it answered HTTP 404; over HTTP+SSE, it answered HTTP 503. Check the path of the URL.`,
  );
  expect(error.message).not.toContain('secret');
});

test('a stream without the endpoint event times out', async () => {
  const { origin } = await serve((request, response) => {
    request.resume();
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    else response.writeHead(405).end();
  });
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp`, limits: { startupTimeoutMs: 1_000 } });
  const error = (await failureOf(manager.server('web').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'handshake-timed-out' });
});

test('follows a redirect within the origin', async () => {
  const paths: unknown[] = [];
  await using target = await startScriptedHttp({
    onRequest: ({ url }, response) => {
      paths.push(url);
      if (url !== '/old') return false;
      response.writeHead(308, { location: '/new' }).end();
      return true;
    },
  });
  await using manager = managerOf({ name: 'moved', url: new URL('/old', target.url).href, protocol: 'legacy' });
  expect(textOf(await manager.callTool('moved', 'act'))).toBe('done');
  expect(new Set(paths)).toEqual(new Set(['/old', '/new']));
});

test.each(['auto', 'legacy'] as const)('does not follow a redirect to another origin (%s)', async (protocol) => {
  const stolen: unknown[] = [];
  const thief = await serve((request, response) => {
    stolen.push(request.headers);
    response.writeHead(200).end();
  });
  const { origin } = await serve((request, response) => {
    request.resume();
    response.writeHead(307, { location: `${thief.origin}/mcp` }).end();
  });
  const headers = { Authorization: 'Bearer secret' };
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp`, protocol, headers });
  const error = (await failureOf(manager.server('web').start())) as ManagerError;
  expect(error.message).toContain('it answered HTTP 307, and redirects to another origin are not followed');
  expect(stolen).toEqual([]);
});
