import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { createTokenVerifier } from '../../../src/identity.js';
import {
  createHttpServer,
  createRegistryHandler,
  type RegistryHandler,
  type RegistryHandlerOptions,
} from '../../../src/index.js';
import { silentUpstreams } from '../../gateway/helpers/plain-upstream.js';
import { initialize, postRequest } from '../../helpers/http-requests.js';

const resourceMetadata = {
  resource: 'https://tools.example.com/mcp',
  authorizationServers: ['https://login.example.com'],
  scopesSupported: ['tools:read', 'tools:call'],
};
const DOCUMENT = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp';

function serve(options: Partial<RegistryHandlerOptions> = {}) {
  return createRegistryHandler(createRegistry(), {
    verifyToken: (token) =>
      token === 'a-token-with-too-little'
        ? { refused: 'insufficient-scope', requiredScopes: ['tools:read', 'tools:call'] }
        : createTokenVerifier([{ token: 'the-token-of-alice', id: 'alice' }])(token),
    allowedHosts: ['tools.example.com'],
    resourceMetadata,
    ...options,
  });
}

const ask = (path: string, init?: RequestInit, options?: Partial<RegistryHandlerOptions>) =>
  serve(options).fetch(new Request(`https://tools.example.com${path}`, init));
const send = (authorization?: string, options?: Partial<RegistryHandlerOptions>) =>
  serve(options).fetch(
    postRequest(initialize(), { host: 'tools.example.com', ...(authorization !== undefined && { authorization }) }),
  );

test.each(['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'])(
  'a client without a token finds at %s where to get one',
  async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      resource: 'https://tools.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['tools:read', 'tools:call'],
      bearer_methods_supported: ['header'],
    });
  },
);

test('does not serve the metadata at other paths, methods and hosts', async () => {
  expect((await ask('/.well-known/oauth-protected-resource/mcp', { method: 'POST' })).status).toBe(405);
  expect((await ask('/.well-known/oauth-protected-resource/other')).status).toBe(401);
  const elsewhere = new Request(DOCUMENT, { headers: { host: 'evil.example' } });
  expect((await serve().fetch(elsewhere)).status).toBe(403);
  const path = '/.well-known/oauth-protected-resource';
  expect((await ask(path, {}, { resourceMetadata: undefined })).status).toBe(401);
});

describe('a request', () => {
  const named = `resource_metadata="${DOCUMENT}"`;

  test('without a token gets the address of the metadata', async () => {
    const answer = await send();
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, `Bearer ${named}`]);
  });

  test('with an invalid token gets an error', async () => {
    const answer = await send('Bearer a-token-of-nobody');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${named}, error="invalid_token"`,
    ]);
  });

  test('with too few scopes gets the missing ones', async () => {
    const answer = await send('Bearer a-token-with-too-little');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer ${named}, error="insufficient_scope", scope="tools:read tools:call"`,
    ]);
  });

  test.each(['access_token', 'token', 'authorization'])(
    'does not accept its token in the query, as %s',
    async (name) => {
      const request = postRequest(initialize(), { host: 'tools.example.com' });
      const url = `${request.url}?${name}=the-token-of-alice`;
      const answer = await serve().fetch(new Request(url, request));
      expect(answer.status).toBe(401);
    },
  );

  test('gets the address of a document on another server', async () => {
    const url = 'https://example.com/.well-known/oauth-protected-resource/tools';
    const answer = await send(undefined, { resourceMetadata: url });
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}"`);
  });

  test('with a valid token is served', async () => {
    expect((await send('Bearer the-token-of-alice')).status).toBe(200);
  });
});

describe('options', () => {
  test.each([
    ['http://tools.example.com/document', 'resourceMetadata must be an https: URL'],
    [{ ...resourceMetadata, resource: 'tools.example.com' }, 'resourceMetadata.resource must be'],
    [{ ...resourceMetadata, resource: 'https://tools.example.com/mcp#x' }, 'with no fragment'],
    [{ ...resourceMetadata, authorizationServers: [] }, 'authorizationServers must be a list of at least one URL'],
    [{ ...resourceMetadata, authorizationServers: ['ftp://x'] }, 'authorizationServers must be'],
    [{ ...resourceMetadata, scopesSupported: ['a b'] }, 'scopesSupported must be'],
  ])('refuses %j by name', (given, message) => {
    expect(() => serve({ resourceMetadata: given })).toThrow(TypeError);
    expect(() => serve({ resourceMetadata: given })).toThrow(message);
  });
});

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
])('a probe of %s finds out whether requests are served, and nothing else', async (_, open) => {
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

test('the health path works behind Node’s own server, too', async () => {
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

test('the health path takes any host and shows web pages nothing, other paths need the token, and other methods are refused', async () => {
  const handler = createRegistryHandler(createRegistry(), { token, healthPath: '/healthz' });
  expect((await probe(handler, '/healthz', { host: '10.1.2.3:6279' })).status).toBe(200);
  const toPage = await probe(handler, '/healthz', { headers: { origin: 'https://evil.example' } });
  expect(Object.fromEntries(toPage.headers)).toEqual({ 'cache-control': 'no-store' });
  expect((await probe(handler, '/mcp', { host: '10.1.2.3:6279' })).status).toBe(403);
  expect((await probe(handler, '/healthz/')).status).toBe(401);
  expect((await probe(handler, '/mcp')).status).toBe(401);
  const posted = await probe(handler, '/healthz', { method: 'POST', body: '{}' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  await handler.close();
});

test('there is no health path by default', async () => {
  const handler = createRegistryHandler(createRegistry(), { token });
  expect((await probe(handler)).status).toBe(401);
  await handler.close();
});

test.each(['healthz', '', '//other.example/healthz', '/health?z', '/health#z', '/health z', '/a/../healthz', 7])(
  'refuses the health path %j',
  (healthPath) => {
    const open = () => createRegistryHandler(createRegistry(), { token, healthPath: healthPath as string });
    expect(open).toThrow(/^healthPath must be a path as requests have it, such as "\/healthz"/);
  },
);
