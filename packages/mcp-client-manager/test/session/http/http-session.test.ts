import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectNoLeaks, type HttpEcho, startHttpEcho } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ManagerError } from '../../../src/errors.js';
import type { HttpServerSpec } from '../../../src/spec.js';
import { failureOf, managerOf, stateOf, textOf } from '../../helpers/servers.js';

afterAll(expectNoLeaks);

let echo: HttpEcho;
beforeAll(async () => {
  echo = await startHttpEcho();
});
afterAll(() => echo.close());

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that answers every request in one way. @returns Its URL, with a secret in it. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=secret`;
}

const spec = (url: string, extras: Partial<HttpServerSpec> = {}): HttpServerSpec => ({ name: 'web', url, ...extras });

async function startFailure(url: string, extras?: Partial<HttpServerSpec>): Promise<ManagerError> {
  await using manager = managerOf(spec(url, extras));
  const error = (await failureOf(manager.server('web').start())) as ManagerError;
  expect(error.code).toBe('start-failed');
  expect(error.message).not.toContain('secret');
  return error;
}

test.each([
  ['auto', 'modern', '2026-07-28'],
  ['2026-07-28', 'modern', '2026-07-28'],
  ['legacy', 'legacy', '2025-11-25'],
] as const)('with protocol %s an HTTP server is spoken to in the %s era', async (protocol, era, protocolVersion) => {
  await using manager = managerOf(spec(echo.url, { protocol }));
  const server = manager.server('web');
  expect(textOf(await server.callTool('echo', { text: 'over HTTP' }))).toBe('over HTTP');
  expect(server.session).toMatchObject({ era, protocolVersion, serverInfo: { name: 'http-echo' } });
  expect(server.listTools().map(({ name }) => name)).toEqual(['echo', 'pid', 'header']);
  expect(await server.checkHealth()).toBe(true);
  expect(server.status).toMatchObject({ transport: 'http', state: 'running', health: 'healthy', pid: undefined });
  await server.restart();
  expect(textOf(await server.callTool('echo', { text: 'again' }))).toBe('again');
});

test.each(['auto', 'legacy'] as const)('sends the headers of the spec with each request (%s)', async (protocol) => {
  await using manager = managerOf(spec(echo.url, { protocol, headers: { 'X-Team': 'red' } }));
  expect(textOf(await manager.callTool('web', 'header', { name: 'x-team' }))).toBe('red');
});

test('times out and aborts calls as over stdio', async () => {
  const url = await answering(() => undefined);
  await using manager = managerOf(spec(url));
  expect(await failureOf(manager.callTool('web', 'echo', {}, { timeoutMs: 50 }))).toMatchObject({ code: 'timed-out' });
  const reason = new Error('enough');
  const end = new AbortController();
  const call = failureOf(manager.callTool('web', 'echo', {}, { signal: end.signal }));
  end.abort(reason);
  expect(await call).toBe(reason);
});

test.each(['auto', 'legacy', '2026-07-28'] as const)(
  'names a port without a listener, without secrets (%s)',
  async (protocol) => {
    const url = await answering(() => undefined);
    await closing.pop()?.();
    const { message, cause } = await startFailure(url, { protocol });
    expect(cause).toMatchObject({ code: 'handshake-refused' });
    expect(message).toBe(
      `Server "web" refused the connection at ${new URL(url).origin}: the request failed (ECONNREFUSED). While the client manager is open, the server is tried again in a moment.`,
    );
  },
);

test.each([
  [404, 'it answered HTTP 404'],
  [500, 'it answered HTTP 500'],
])('reports HTTP %i of a server', async (status, what) => {
  const url = await answering((_, response) => response.writeHead(status).end('the secret is in here'));
  expect((await startFailure(url)).message).toContain(what);
  expect((await startFailure(url, { protocol: 'legacy' })).message).toContain(what);
});

test('refuses a web page as a server', async () => {
  const url = await answering((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
  for (const protocol of ['auto', 'legacy', '2026-07-28'] as const) {
    const { message } = await startFailure(url, { protocol });
    expect(message).toContain('its response does not follow the protocol');
  }
});

test.each(['auto', 'legacy', '2026-07-28'] as const)(
  'an answer that leads nowhere ends with the startup time (%s)',
  async (protocol) => {
    const url = await answering((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
    );
    const { cause } = await startFailure(url, { protocol, limits: { startupTimeoutMs: 1_000 } });
    expect(cause).toMatchObject({ code: 'handshake-timed-out' });
  },
);

test('stop and close do not wait for a silent server', async () => {
  const url = await answering(() => undefined);
  await using manager = managerOf(spec(url, { limits: { startupTimeoutMs: 60_000 } }));
  const started = failureOf(manager.server('web').start());
  await stateOf(manager, 'web', (state) => state.phase === 'starting' && state.step === 'handshake');
  await manager.server('web').stop();
  expect(await started).toMatchObject({ code: 'server-stopping' });
  const again = failureOf(manager.server('web').start());
  await manager.close();
  expect(await again).toMatchObject({ code: 'closed' });
});

test.each(['auto', 'legacy', '2026-07-28'] as const)(
  'reports a server that requires a sign-in (%s)',
  async (protocol) => {
    const url = await answering((_, response) => response.writeHead(401).end('the secret is in here'));
    await using manager = managerOf(spec(url, { protocol }));
    const error = await failureOf(manager.server('web').start());
    expect(error).toMatchObject({
      code: 'auth-required',
      message: expect.stringContaining(
        'Server "web" requires a sign-in: it answered HTTP 401. Set an "auth" of the manager that covers "web"',
      ),
    });
    expect(manager.server('web').phase).toBe('auth-required');
  },
);

test('a call waits for a lost server, and reports why it does not return', async () => {
  await using mortal = await startHttpEcho();
  await using manager = managerOf(spec(mortal.url, { restart: { onFailure: false } }));
  await manager.server('web').start();
  await mortal.close();
  const error = await failureOf(manager.callTool('web', 'echo', { text: 'x' }));
  expect(error).toMatchObject({ code: expect.stringMatching(/^(start-failed|connection-lost)$/) });
});

test('a call has an unknown outcome if the server closes the session', async () => {
  const url = await answering((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      if (method === 'tools/call') return void request.socket.destroy();
      if (id === undefined) return void response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'x', version: '1' },
        },
        'tools/list': { tools: [] },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
    });
  });
  await using manager = managerOf(spec(url, { protocol: 'legacy' }));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'outcome-unknown',
    message:
      'The connection to server "web" failed while it worked on "act". The call may or may not have had its effect, so it was not repeated.',
  });
});
