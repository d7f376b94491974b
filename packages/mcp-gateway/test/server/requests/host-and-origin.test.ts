import { once } from 'node:events';
import { connect } from 'node:net';
import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { createHttpServer, createRegistryHandler } from '../../../src/index.js';
import { initialize } from '../../helpers/http-requests.js';

const app = 'https://app.example.com';

/** The first line of the answer to a request with exactly these lines as its Host and Origin headers, if there is any. */
async function statusOf(...headers: readonly string[]): Promise<number> {
  const handler = createRegistryHandler(createRegistry(), { allowAnonymous: true, allowedOrigins: [app] });
  await using server = createHttpServer(handler).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const body = JSON.stringify(initialize());
  const usual = ['content-type: application/json', 'accept: application/json, text/event-stream', 'connection: close'];
  const lines = ['POST /mcp HTTP/1.1', ...headers, ...usual, `content-length: ${body.length}`, '', body];
  socket.write(lines.join('\r\n'));
  let answer = '';
  for await (const text of socket) {
    answer += text;
    if (answer.includes('\r\n')) break; // which ends the connection
  }
  await handler.close();
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}

const host = 'host: localhost';

test.each([
  ['one Host and no Origin', [host], 200],
  ['a Host with the port of a tunnel to this one', ['host: 127.0.0.1:1'], 200],
  ['one Host and an Origin that may use it', [host, `origin: ${app}`], 200],
  ['an Origin in capitals', [host, `origin: ${app.toUpperCase()}`], 200],
])('accepts %s', async (_, headers, status) => {
  expect(await statusOf(...headers)).toBe(status);
});

test.each([
  ['no Host', [], 400],
  ['an empty Host', ['host:'], 403],
  ['a Host that is no name', ['host: local host'], 400],
  ['a Host with credentials', ['host: localhost@evil.example.com'], 400],
  ['a list of Hosts', ['host: localhost, evil.example.com'], 400],
  ['another Host', ['host: evil.example.com'], 403],
  ['another Host with a port', ['host: evil.example.com:6279'], 403],
])('refuses %s', async (_, headers, status) => {
  expect(await statusOf(...headers)).toBe(status);
});

test.each([
  ['the expected one first', [host, 'host: evil.example.com']],
  ['the expected one last', ['host: evil.example.com', host]],
  ['the same twice', [host, host]],
])('refuses several Hosts, %s', async (_, headers) => {
  expect(await statusOf(...headers)).toBeGreaterThanOrEqual(400);
});

test.each([
  ['another one', ['origin: https://evil.example.com']],
  ['one that may use it, and another one', [`origin: ${app}`, 'origin: https://evil.example.com']],
  ['another one, and one that may use it', ['origin: https://evil.example.com', `origin: ${app}`]],
  ['the same twice', [`origin: ${app}`, `origin: ${app}`]],
  ['a list of them', [`origin: ${app}, https://evil.example.com`]],
  ['the null of a sandbox', ['origin: null']],
  ['nothing', ['origin:']],
  ['what is no origin', ['origin: ://']],
  ['a path below one that may use it', [`origin: ${app}/page`]],
  ['another port of it', [`origin: ${app}:8443`]],
])('refuses an Origin of %s', async (_, headers) => {
  expect(await statusOf(host, ...headers)).toBe(403);
});
