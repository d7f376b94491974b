import { connect } from 'node:net';
import { createRegistry } from '@x/mcp-registry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRegistryHandler, toNodeListener } from '../../../src/index.js';
import { initialize, modernHeaders, modernRequest, postRequest } from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

const registry = createRegistry();
const handler = createRegistryHandler(registry, { allowAnonymous: true });
let server: Awaited<ReturnType<typeof serveOnLoopback>>;

beforeAll(async () => {
  registry.register({ name: 'steps', description: '' }, (_, { reportProgress }) => {
    reportProgress({ progress: 1 });
    return 'done';
  });
  server = await serveOnLoopback(toNodeListener(handler));
});
afterAll(async () => {
  await handler.close();
  await server[Symbol.asyncDispose]();
});

/** All that is answered until the server ends the connection. */
function exchange(body: object, headers: Record<string, string>): Promise<string> {
  const text = JSON.stringify(body);
  const all = { host: 'localhost', 'content-type': 'application/json', 'content-length': text.length, ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(['POST /mcp HTTP/1.1', ...head, '', text].join('\r\n'));
    });
    socket.setEncoding('latin1').on('data', (data) => (answer += data));
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

const call = (() => {
  const request = modernRequest('tools/call', { name: 'steps', arguments: {} });
  return { ...request, params: { ...request.params, _meta: { ...request.params._meta, progressToken: 'p' } } };
})();

test.each([
  ['of a session', initialize(), {}],
  ['of the 2026-07-28 revision', call, modernHeaders('tools/call', 'steps')],
])('a response that is a stream %s ends its connection if the client wants that', async (_, body, headers) => {
  const answer = await exchange(body, {
    ...headers,
    accept: 'text/event-stream, application/json',
    connection: 'close',
  });
  const head = answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase();
  expect(head).toContain('content-type: text/event-stream');
  expect(head.match(/^connection: .*$/gm)).toEqual(['connection: close']);
});

test.each([
  ['text/event-stream, application/json', 'tools/list', 200, 'text/event-stream'],
  ['application/json, text/event-stream', 'tools/list', 200, 'application/json'],
  ['text/event-stream, application/json', 'no/such', 404, 'application/json'],
])('with %s a response to %s of the 2026-07-28 revision is %i %s', async (accept, method, status, type) => {
  const { fetch, close } = createRegistryHandler(createRegistry(), { allowAnonymous: true });
  const response = await fetch(postRequest(modernRequest(method), { ...modernHeaders(method), accept }));
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe(type);
  expect(await response.text()).toContain(status === 200 ? '"tools":[' : '-32601');
  await close();
});
