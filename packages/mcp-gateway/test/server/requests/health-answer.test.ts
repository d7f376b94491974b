import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { createHttpServer, createRegistryHandler, type RegistryHandler } from '../../../src/index.js';
import { silentUpstreams } from '../../gateway/helpers/plain-upstream.js';

const token = 'the-token-of-this-test';

/** A probe has no token. */
function probe(handler: RegistryHandler, path = '/healthz', init: RequestInit & { host?: string } = {}) {
  const { host = 'localhost', ...rest } = init;
  return handler.fetch(new Request(`http://${host}${path}`, { ...rest, headers: { host, ...rest.headers } }));
}

function gatewayHandler(): RegistryHandler {
  return createGateway({ registry: createRegistry(), upstreams: silentUpstreams() }).handler({
    token,
    healthPath: '/healthz',
  });
}

test.each([
  ['a registry', () => createRegistryHandler(createRegistry(), { token, healthPath: '/healthz' })],
  ['a gateway', gatewayHandler],
])('a probe of %s learns whether requests are served, and nothing else', async (_, open) => {
  const handler = open();
  for (const method of ['GET', 'HEAD']) {
    const answer = await probe(handler, '/healthz?from=balancer', { method });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
    expect(Object.fromEntries(answer.headers)).toEqual({ 'cache-control': 'no-store' });
  }
  await handler.close();
  const late = await probe(handler);
  expect(late.status).toBe(503);
  expect(await late.text()).toBe('');
});

test('behind a server of Node’s own it is answered, too', async () => {
  const handler = createRegistryHandler(createRegistry(), { token, healthPath: '/healthz' });
  await using server = createHttpServer(handler).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`;
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(url, { method });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  }
  await handler.close();
  expect((await fetch(url)).status).toBe(503);
  server.closeAllConnections();
});

test('the checks of host and page hold, everything else needs its token, and other methods are refused', async () => {
  const handler = createRegistryHandler(createRegistry(), { token, healthPath: '/healthz' });
  expect((await probe(handler, '/healthz', { host: 'evil.example' })).status).toBe(403);
  expect((await probe(handler, '/healthz', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  expect((await probe(handler, '/healthz/')).status).toBe(401);
  expect((await probe(handler, '/mcp')).status).toBe(401);
  const posted = await probe(handler, '/healthz', { method: 'POST', body: '{}' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  await handler.close();
});

test('there is none that was not asked for', async () => {
  const handler = createRegistryHandler(createRegistry(), { token });
  expect((await probe(handler)).status).toBe(401);
  await handler.close();
});

test.each(['healthz', '', '//other.example/healthz', '/health?z', '/health#z', '/health z', '/a/../healthz', 7])(
  '%j is no path to be asked for',
  (healthPath) => {
    const open = () => createRegistryHandler(createRegistry(), { token, healthPath: healthPath as string });
    expect(open).toThrow(/^healthPath must be a path as requests have it, such as "\/healthz"/);
  },
);
