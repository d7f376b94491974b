import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/identity.js';
import { createRegistryHandler, type RegistryHandlerOptions } from '../../../src/index.js';
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
  'a client without a token learns at %s where to get one',
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

test('other paths, methods and hosts are not answered so', async () => {
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
    'with its token in the query, as %s, has none',
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

  test('with a good token is served', async () => {
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
  ])('%j is refused by name', (given, message) => {
    expect(() => serve({ resourceMetadata: given })).toThrow(TypeError);
    expect(() => serve({ resourceMetadata: given })).toThrow(message);
  });
});
