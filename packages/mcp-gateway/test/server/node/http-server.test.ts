import type { Server } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpServer, type HttpServerOptions, toNodeListener } from '../../../src/index.js';
import { loopbackCertificate } from '../../fixtures/loopback-certificate.js';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

async function listen(options?: HttpServerOptions, fetch = async (_: Request) => new Response('served')) {
  const server = createHttpServer({ fetch }, options);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** All that is answered until the connection is over. */
function exchange(port: number, sent: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    socket.setEncoding('latin1').on('data', (text) => (answer += text));
    socket.on('error', () => undefined).on('close', () => resolve(answer));
  });
}

const get = (head = '') => `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n`;

test('responds to a request', async () => {
  const { port } = await listen();
  expect(await exchange(port, get())).toMatch(/^HTTP\/1\.1 200 OK\r\n.*served/s);
});

test('accepts a Node listener in front of the handler', async () => {
  const served = toNodeListener({ fetch: async () => new Response('served') });
  const server = createHttpServer((request, response) => {
    if (request.url === '/') served(request, response);
    else response.writeHead(404).end();
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await exchange(port, get())).toMatch(/^HTTP\/1\.1 200 OK\r\n.*served/s);
  expect(await exchange(port, get().replace('/', '/other'))).toMatch(/^HTTP\/1\.1 404 /);
});

test('responds over TLS', async () => {
  const { port } = await listen({ tls: loopbackCertificate });
  const status = await new Promise((resolve, reject) => {
    const options = { ca: loopbackCertificate.cert, headers: { connection: 'close' } };
    httpsRequest(`https://localhost:${port}/`, options, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});

describe('options', () => {
  const handler = { fetch: async () => new Response() };

  test.each([
    [{ maxConnections: 0 }, 'maxConnections must be'],
    [{ maxHeaderBytes: 0.5 }, 'maxHeaderBytes must be'],
    [{ headersTimeoutMs: -1 }, 'headersTimeoutMs must be'],
    [{ requestTimeoutMs: Number.NaN }, 'requestTimeoutMs must be'],
    [{ keepAliveTimeoutMs: 2 ** 31 }, 'keepAliveTimeoutMs must be'],
    [{ tls: {} }, 'tls must have cert and key'],
    [{ tls: { cert: loopbackCertificate.cert } }, 'tls must have cert and key'],
  ])('refuses %j by name', (options, message) => {
    expect(() => createHttpServer(handler, options)).toThrow(TypeError);
    expect(() => createHttpServer(handler, options)).toThrow(message);
  });

  test('the time limit of the headers is at most that of the request', () => {
    expect(createHttpServer(handler, { requestTimeoutMs: 1_000 }).headersTimeout).toBe(1_000);
  });
});

describe('headers', () => {
  test('of a megabyte are refused', async () => {
    const { port } = await listen();
    expect(await exchange(port, get(`X-Long: ${'x'.repeat(1_000_000)}\r\n`))).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ['a line break within a value', 'X-One: a\rX-Two: b\r\n'],
    ['a line that only line feed ends', 'X-One: a\nX-Two: b\r\n'],
    ['a folded line', 'X-One: a\r\n b\r\n'],
    ['a NUL', 'X-One: a\0b\r\n'],
    ['a space before the colon', 'X-One : a\r\n'],
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n'],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
  ])('with %s are refused', async (_, head) => {
    const { port } = await listen();
    expect(await exchange(port, get(head))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('beyond Node’s default number are all passed on', async () => {
    let seen: string | null = null;
    const { port } = await listen({ maxHeaderBytes: 64 * 1024 }, async ({ headers }) => {
      seen = headers.get('origin');
      return new Response();
    });
    await exchange(port, get(`${'a:\r\n'.repeat(5_000)}Origin: https://evil.example\r\n`));
    expect(seen).toBe('https://evil.example');
  });

  test('without an end time out', async () => {
    const { port } = await listen({ headersTimeoutMs: 50 });
    expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n')).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('closes a connection that sends nothing', async () => {
  const { port } = await listen({ headersTimeoutMs: 50 });
  expect(await exchange(port, '')).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test('closes a connection beyond the maximum', async () => {
  const { port, server } = await listen({ maxConnections: 1 });
  const first = connect(port, '127.0.0.1');
  await new Promise((resolve) => server.once('connection', resolve));
  const dropped = new Promise((resolve) => server.once('drop', resolve));
  expect(await exchange(port, get())).toBe('');
  await dropped;
  first.destroy();
});
