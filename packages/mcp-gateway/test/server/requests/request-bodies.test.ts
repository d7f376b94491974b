import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRegistryHandler, type RegistryHandlerOptions, toNodeListener } from '../../../src/index.js';
import { initialize, modernHeaders, modernRequest, openSession, postRequest } from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

afterEach(() => void vi.useRealTimers());

function serve(options: Partial<RegistryHandlerOptions> = {}) {
  const registry = createRegistry();
  registry.register({ name: 'echo', description: '' }, (args) => args);
  return createRegistryHandler(registry, { allowAnonymous: true, ...options });
}

async function answerTo(request: Request, options?: Partial<RegistryHandlerOptions>) {
  const answer = await serve(options).fetch(request);
  return {
    status: answer.status,
    body: (await answer.json()) as { id: unknown; error: { code: number; message: string } },
  };
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body', () => {
  test.each(['gzip', 'br', 'deflate, gzip'])('that is encoded as %s is refused unread', async (encoding) => {
    const request = postRequest(new Uint8Array(gzipSync(JSON.stringify(initialize()))), {
      'content-encoding': encoding,
    });
    const answer = await serve().fetch(request);
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(request.bodyUsed).toBe(false);
  });

  test.each(['utf-16', 'iso-8859-1', '"utf-16le"', '', 'utf-8; charset=utf-16'])(
    'in the charset %s is refused unread',
    async (charset) => {
      const request = postRequest(initialize(), { 'content-type': `application/json; charset=${charset}` });
      const { status, body } = await answerTo(request);
      expect([status, body.error.message]).toEqual([415, expect.stringContaining('charset')]);
    },
  );

  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('in the charset %s is read', async (charset) => {
    const request = postRequest(initialize(), { 'content-type': `application/json; charset=${charset}` });
    expect((await serve().fetch(request)).status).toBe(200);
  });

  test('that is declared as identity is read', async () => {
    const answer = await serve().fetch(postRequest(initialize(), { 'content-encoding': 'identity' }));
    expect(answer.status).toBe(200);
  });

  test('that stalls times out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
    const answer = serve({ bodyTimeoutMs: 5_000 }).fetch(postRequest(body));
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await answer).status).toBe(408);
    expect((await answer).headers.get('connection')).toBe('close');
  });

  test('that arrives in drops times out, and its connection ends', async () => {
    await using server = await serveOnLoopback(toNodeListener(serve({ bodyTimeoutMs: 100 })));
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const slow = httpRequest(server.url, { method: 'POST', headers });
    const closed = new Promise<void>((resolve) => slow.on('error', () => {}).on('close', resolve));
    const status = new Promise((resolve) => slow.on('response', (answer) => resolve(answer.resume().statusCode)));
    const drip = () => slow.destroyed || slow.write(' ', () => setTimeout(drip, 10));
    drip();
    expect(await status).toBe(408);
    await closed;
  });

  test('that is incomplete gets a response, if its client is still connected', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    expect(await answerTo(postRequest(body))).toMatchObject({ status: 400, body: { error: { code: -32_000 } } });
  });

  test('of single bytes takes no more memory than its content', async () => {
    const text = new TextEncoder().encode(JSON.stringify(initialize()));
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => (sent < text.length ? controller.enqueue(text.subarray(sent, ++sent)) : controller.close()),
    });
    expect((await serve().fetch(postRequest(body))).status).toBe(200);
  });

  test.each([
    [
      'deeper than anybody reads',
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${nested(300)}}}`,
      -32_600,
      'nests deeper than 200',
    ],
    ['deeper than a stack', nested(1_000_000), -32_600, 'nests deeper than 200'],
    ['of no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), -32_700, 'not valid JSON in UTF-8'],
    ['of half a text', '{"jsonrpc":"2.0"', -32_700, 'not valid JSON in UTF-8'],
    ['of a number', '7', -32_600, 'not a JSON-RPC message'],
  ])('%s is refused', async (_, body, code, message) => {
    expect(await answerTo(postRequest(body))).toMatchObject({
      status: 400,
      body: { error: { code, message: expect.stringContaining(message) } },
    });
  });

  test('of the depth of valid arguments is read', async () => {
    const params = `{"name":"echo","arguments":{"a":${nested(100)}},"_meta":${JSON.stringify(modernRequest('x').params._meta)}}`;
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    expect((await serve().fetch(postRequest(text, modernHeaders('tools/call', 'echo')))).status).toBe(200);
  });

  test('with a repeated key means the last value, also for the headers', async () => {
    const { params } = modernRequest('tools/list');
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":${JSON.stringify(params)}}`;
    const { fetch } = serve();
    expect(await (await fetch(postRequest(text, modernHeaders('tools/list')))).text()).toContain('"echo"');
    expect((await fetch(postRequest(text, modernHeaders('tools/call', 'echo')))).status).toBe(400);
  });
});

describe('what is sent', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  test.each([
    ['2025-03-26', 200],
    ['2025-06-18', 400],
    ['2025-11-25', 400],
  ])('may be several messages at a time if the revision allows it: %s', async (version, status) => {
    const { fetch, close } = serve();
    const session = await openSession(fetch, {}, version);
    const answer = await fetch(postRequest([ping(1), ping(2)], { 'mcp-session-id': session }));
    expect(answer.status).toBe(status);
    await close();
  });

  test.each([
    ['none', [], 400],
    ['requests of the revision that has no batches', [modernRequest('tools/list')], 400],
    ['more than anybody sends', Array.from({ length: 101 }, (_, id) => ping(id)), 400],
    ['what is no message', [ping(1), 7], 400],
  ])('as a batch of %s is refused', async (_, body, status) => {
    const { fetch, close } = serve();
    const session = await openSession(fetch, {}, '2025-03-26');
    expect((await fetch(postRequest(body, { 'mcp-session-id': session }))).status).toBe(status);
    await close();
  });

  test('as a batch that has one id twice is refused, and the id is free afterwards', async () => {
    const { fetch, close } = serve();
    const session = await openSession(fetch, {}, '2025-03-26');
    const post = (body: object) => fetch(postRequest(body, { 'mcp-session-id': session }));
    const refused = await post([ping(1), ping(2), ping(1)]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining('this id') },
    });
    const answered = await post([ping(1), ping(2)]);
    expect(answered.status).toBe(200);
    expect(await answered.text()).toMatch(/"id":[12].*"id":[12]/s);
    await close();
  });

  test('as a response to no request is ignored', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    expect((await answerTo(postRequest(answer))).status).toBe(400);
    expect((await answerTo(postRequest(answer, { 'mcp-protocol-version': '2026-07-28' }))).status).toBe(400);
    const { fetch, close } = serve();
    const session = await openSession(fetch);
    expect((await fetch(postRequest(answer, { 'mcp-session-id': session }))).status).toBe(202);
    await close();
  });

  test('with an unknown method gets an error', async () => {
    const modern = await serve().fetch(postRequest(modernRequest('no/such'), modernHeaders('no/such')));
    expect(await modern.json()).toMatchObject({ id: 1, error: { code: -32_601 } });
    const { fetch, close } = serve();
    const session = await openSession(fetch);
    const request = { jsonrpc: '2.0', id: 1, method: 'no/such' };
    expect(await (await fetch(postRequest(request, { 'mcp-session-id': session }))).text()).toContain('-32601');
    await close();
  });
});

describe('headers', () => {
  /** What is answered to bytes as they are. */
  async function exchange(head: string, body: object): Promise<string> {
    await using server = await serveOnLoopback(toNodeListener(serve()));
    const text = JSON.stringify(body);
    return await new Promise((resolve) => {
      let answer = '';
      const socket = connect(server.port, '127.0.0.1', () => {
        const fixed = `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
        socket.write(Buffer.from(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${fixed}${head}\r\n`, 'latin1'));
        socket.write(text);
      });
      socket.setEncoding('latin1').on('data', (data) => (answer += data));
      socket.on('error', () => undefined).on('close', () => resolve(answer));
    });
  }
  const headOf = (headers: Record<string, string>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
  const call = (name: string) => modernRequest('tools/call', { name, arguments: {} });

  test('with a line break in a repeated name are refused', async () => {
    const head = headOf(modernHeaders('tools/call', 'ec\rho'));
    expect(await exchange(head, call('ec\rho'))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('with bytes beyond ASCII are not decoded', async () => {
    const head = headOf(modernHeaders('tools/call', Buffer.from('écho').toString('latin1')));
    expect(await exchange(head, call('écho'))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('with an encoded name beyond ASCII are read', async () => {
    const encoded = `=?base64?${Buffer.from('écho').toString('base64')}?=`;
    const answer = await exchange(headOf(modernHeaders('tools/call', encoded)), call('écho'));
    // It is held against the body and agrees; there is only no such tool.
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('-32602');
  });

  test('that name another tool than the body are refused', async () => {
    const answer = await exchange(headOf(modernHeaders('tools/call', 'other')), call('echo'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('-32020');
  });

  test('of a megabyte are refused', async () => {
    const head = headOf({ ...modernHeaders('tools/call', 'echo'), 'x-long': 'x'.repeat(1_000_000) });
    expect(await exchange(head, call('echo'))).toMatch(/^HTTP\/1\.1 431 /);
  });
});

test('two Authorization headers are no token, even if one is valid', async () => {
  const token = 'a-token-of-some-length';
  const handler = serve({ allowAnonymous: undefined, token });
  await using server = await serveOnLoopback(toNodeListener(handler));
  const statusWith = (authorization: readonly string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = [
        ...['Host', `127.0.0.1:${server.port}`, 'Content-Type', 'application/json'],
        ...['Accept', 'application/json, text/event-stream'],
        ...authorization.flatMap((value) => ['Authorization', value]),
      ];
      const request = httpRequest(
        { port: server.port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      request.on('error', reject).end(JSON.stringify(initialize()));
    });
  expect(await statusWith([`Bearer ${token}`])).toBe(200);
  expect(await statusWith([`Bearer ${token}`, 'Bearer another-token-of-length'])).toBe(401);
  expect(await statusWith(['Bearer another-token-of-length', `Bearer ${token}`])).toBe(401);
  expect(await statusWith([`Bearer ${token}`, `Bearer ${token}`])).toBe(401);
  await handler.close();
});
