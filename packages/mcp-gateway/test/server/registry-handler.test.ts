import { request as httpRequest } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRegistryHandler, type RegistryHandlerOptions, toNodeListener } from '../../src/index.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';
import { connectV2 } from '../helpers/test-client.js';

const TOKEN = 'a-token-of-some-length';
const URL_ = 'http://localhost/mcp';
const accept = 'application/json, text/event-stream';

function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request(URL_, {
    method: 'POST',
    headers: {
      host: 'localhost',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function modern(method: string, params: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = (params as { name?: string }).name;
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  return post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers);
}

function handlerOf(registry: Registry = createRegistry(), options: Partial<RegistryHandlerOptions> = {}) {
  return createRegistryHandler(registry, { token: TOKEN, ...options });
}

describe('access', () => {
  test('must be configured', () => {
    expect(() => createRegistryHandler(createRegistry(), {})).toThrow(
      'Exactly one of token, verifyToken and allowAnonymous',
    );
    expect(() => createRegistryHandler(createRegistry(), { token: 'short' })).toThrow('at least 16 characters');
    expect(() => createRegistryHandler(createRegistry(), { token: TOKEN, allowAnonymous: true })).toThrow(
      'Exactly one of',
    );
    expect(() => handlerOf(createRegistry(), { maxBodyBytes: 0 })).toThrow('maxBodyBytes must be');
    expect(() => handlerOf(createRegistry(), { allowedOrigins: ['app.example.com'] })).toThrow(
      'allowedOrigins must be',
    );
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    '0.0.0.0',
    '[::]',
    'localhost:port',
    '',
  ])('is refused for the host %j', async (host) => {
    const { fetch } = handlerOf();
    expect((await fetch(post(initialize, { host }))).status).toBe(403);
  });

  test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:65535'])(
    'is granted for the host %j',
    async (host) => {
      const { fetch } = handlerOf();
      expect((await fetch(post(initialize, { host }))).status).toBe(200);
    },
  );

  test('is granted to pages of allowed origins only, which may read the response', async () => {
    const { fetch } = handlerOf(createRegistry(), { allowedOrigins: ['https://app.example.com'] });
    for (const origin of ['https://evil.example', 'http://localhost:3000', 'null', 'https://app.example.com:8443']) {
      expect((await fetch(post(initialize, { origin }))).status).toBe(403);
    }
    const origin = 'https://app.example.com';
    const answer = await fetch(post(initialize, { origin }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-param-region',
    };
    const preflight = await fetch(new Request(URL_, { method: 'OPTIONS', headers: { host: 'localhost', ...asked } }));
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization.*mcp-param-region/);
  });

  test('is granted with the token', async () => {
    const { fetch } = handlerOf(createRegistry(), { resourceMetadata: 'https://example.com/.well-known/x' });
    for (const authorization of ['', 'Bearer', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN} ${TOKEN}`]) {
      const answer = await fetch(post(initialize, { authorization }));
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="https:\/\/example.com/);
    }
    expect((await fetch(post(initialize, { authorization: `bearer ${TOKEN}` }))).status).toBe(200);
  });

  test('is refused if the check fails', async () => {
    const errors: Error[] = [];
    const { fetch } = createRegistryHandler(createRegistry(), {
      verifyToken: () => Promise.reject(new Error('the directory is down')),
      onError: (error) => errors.push(error),
    });
    const answer = await fetch(post(initialize));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(await answer.text()).not.toContain('directory');
    expect(errors.map(({ message }) => message)).toEqual(['the directory is down']);
  });

  test('is refused without a view', async () => {
    const { fetch } = createRegistryHandler(() => undefined, { token: TOKEN });
    expect((await fetch(post(initialize))).status).toBe(403);
  });
});

describe('an invalid request', () => {
  test.each([
    ['no JSON', post('{'), 400],
    ['no message', post('3'), 400],
    ['nothing', post(''), 400],
    ['of another type', post(initialize, { 'content-type': 'text/plain' }), 415],
    ['nested deeper than anybody reads', post('['.repeat(100_000) + ']'.repeat(100_000)), 400],
    ['of a session that there is not', post(initialize, { 'mcp-session-id': 'none' }), 404],
    ['of no session', post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 400],
    [
      'a stream of no session',
      new Request(URL_, { headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, accept } }),
      400,
    ],
    ['of another method', new Request(URL_, { method: 'PUT', headers: { host: 'localhost' } }), 405],
  ])('is refused: %s', async (_, request, status) => {
    const answer = await handlerOf().fetch(request);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  });

  test('is refused if it is too large, declared or not', async () => {
    const { fetch } = handlerOf(createRegistry(), { maxBodyBytes: 1_000 });
    expect((await fetch(post(' '.repeat(1_001)))).status).toBe(413);

    await using server = await serveOnLoopback(toNodeListener({ fetch }));
    const status = await new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      };
      const sent = httpRequest(server.url, { method: 'POST', headers }, ({ statusCode }) => resolve(statusCode));
      sent.on('error', reject);
      sent.end(' '.repeat(300_000));
    });
    expect(status).toBe(413);
  });

  test('is refused if it names two hosts', async () => {
    await using server = await serveOnLoopback(toNodeListener(handlerOf()));
    const status = await new Promise((resolve, reject) => {
      const headers = ['Host', 'localhost', 'Host', 'evil.example', 'Authorization', `Bearer ${TOKEN}`];
      httpRequest(server.url, { headers, setHost: false }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });
});

describe('on the network', () => {
  test.each([
    ['GET', 'localhost:80@evil.example'],
    ['GET', 'user@localhost'],
    ['TRACE', 'localhost'],
  ])('%s for %s is refused with a response', async (method, host) => {
    await using server = await serveOnLoopback(toNodeListener(handlerOf()));
    const status = await new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${TOKEN}` };
      httpRequest(server.url, { method, headers }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  test('a body without an end gets a response, then its connection ends', async () => {
    await using server = await serveOnLoopback(toNodeListener(handlerOf(createRegistry(), { maxBodyBytes: 1_000 })));
    const headers = { host: 'localhost', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const endless = httpRequest(server.url, { method: 'POST', headers });
    const closed = new Promise<void>((resolve) => endless.on('error', () => {}).on('close', resolve));
    const status = new Promise((resolve) => endless.on('response', (answer) => resolve(answer.resume().statusCode)));
    const send = () => endless.destroyed || endless.write(' '.repeat(10_000), () => setImmediate(send));
    send();
    expect(await status).toBe(413);
    await closed;
  });
});

describe('the cache hint of a list', () => {
  const listing = async (handler: { fetch: (request: Request) => Promise<Response> }) =>
    ((await (await handler.fetch(modern('tools/list'))).json()) as { result: unknown }).result;

  test('is unknown, and its scope is public only if every client sees everything', async () => {
    const registry = createRegistry({ roles: [{ role: 'guest', allowedTools: [] }] });
    const open = { allowAnonymous: true } as const;
    expect(await listing(createRegistryHandler(registry, open))).toMatchObject({ ttlMs: 0, cacheScope: 'public' });
    expect(await listing(createRegistryHandler(registry.view({ role: 'guest' }), open))).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(await listing(createRegistryHandler(() => registry, open))).toMatchObject({ cacheScope: 'private' });
    expect(await listing(handlerOf(registry))).toMatchObject({ cacheScope: 'private' });
    expect(await listing(handlerOf(registry, { listTtlMs: 5_000 }))).toMatchObject({ ttlMs: 5_000 });
  });

  test('is an hour for the search surface', async () => {
    const result = await listing(handlerOf(createRegistry(), { surface: 'search' }));
    expect(result).toMatchObject({
      ttlMs: 3_600_000,
      tools: [{ name: 'call_mcp_tool' }, { name: 'search_mcp_tools' }],
    });
    const changing = handlerOf(createRegistry(), { surface: 'search', instructionsInSearch: true });
    expect(await listing(changing)).toMatchObject({ ttlMs: 0 });
  });
});

test('checks headers that repeat arguments', async () => {
  const registry = createRegistry();
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const source = createListSource('db', [tool('query', { inputSchema: { type: 'object', properties: { region } } })]);
  await registry.attach(source).ready;
  const request = modern('tools/call', { name: 'mcp__db__query', arguments: { region: 'north' } });
  request.headers.set('mcp-param-region', 'south');
  const answer = await handlerOf(registry).fetch(request);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: -32_020 } });
  expect(source.calls).toEqual([]);
});

describe('sessions of the earlier revisions', () => {
  afterEach(() => void vi.useRealTimers());

  const open = async (fetch: (request: Request) => Promise<Response>, headers: Record<string, string> = {}) => {
    const answer = await fetch(post(initialize, headers));
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  const list = (
    fetch: (request: Request) => Promise<Response>,
    session: string,
    headers: Record<string, string> = {},
  ) => fetch(post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': session, ...headers }));

  test('belong to the caller that opened them', async () => {
    const owners = new Map([
      [TOKEN, { id: 'one' }],
      ['another-token-of-some-length', { id: 'two' }],
    ]);
    const { fetch } = createRegistryHandler(createRegistry(), { verifyToken: (token) => owners.get(token) });
    const session = await open(fetch);
    expect((await list(fetch, session)).status).toBe(200);
    const stolen = await list(fetch, session, { authorization: 'Bearer another-token-of-some-length' });
    expect(stolen.status).toBe(404);
    const none = await list(fetch, 'none');
    expect(await stolen.json()).toEqual(await none.json());
  });

  test('follow a caller whose role changes', async () => {
    const registry = createRegistry({
      roles: [
        { role: 'guest', allowedTools: [] },
        { role: 'staff', allowedTools: ['own'] },
      ],
    });
    registry.register({ name: 'own', description: '' }, () => 'done');
    let role = 'guest';
    const { fetch } = createRegistryHandler(() => registry.view({ role, principal: 'one' }), { token: TOKEN });
    const session = await open(fetch);
    expect(await (await list(fetch, session)).text()).not.toContain('"own"');
    role = 'staff';
    expect(await (await list(fetch, session)).text()).toContain('"own"');
  });

  test('end when the client deletes them', async () => {
    const { fetch } = handlerOf();
    const session = await open(fetch);
    const headers = { host: 'localhost', authorization: `Bearer ${TOKEN}`, 'mcp-session-id': session };
    expect((await fetch(new Request(URL_, { method: 'DELETE', headers }))).status).toBe(200);
    expect((await list(fetch, session)).status).toBe(404);
  });

  test('end when idle, and release the view', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { fetch } = handlerOf(createRegistry(), { sessionIdleMs: 60_000 });
    const session = await open(fetch);
    await vi.advanceTimersByTimeAsync(59_000);
    await (await list(fetch, session)).text();
    await vi.advanceTimersByTimeAsync(59_000);
    expect((await list(fetch, session)).status).toBe(200);
    await vi.advanceTimersByTimeAsync(0);
    const idle = await open(fetch);
    await vi.advanceTimersByTimeAsync(60_001);
    expect((await list(fetch, idle)).status).toBe(404);
  });

  test('are bounded, and an idle one is evicted for another', async () => {
    const { fetch } = handlerOf(createRegistry(), { maxSessions: 2 });
    const [first, second] = [await open(fetch), await open(fetch)];
    await (await list(fetch, first)).text();
    const third = await open(fetch);
    expect((await list(fetch, second)).status).toBe(404);
    const headers = (session: string) => ({
      host: 'localhost',
      authorization: `Bearer ${TOKEN}`,
      accept,
      'mcp-session-id': session,
    });
    for (const session of [first, third]) {
      expect((await fetch(new Request(URL_, { headers: headers(session) }))).status).toBe(200); // a stream that stays open
    }
    expect((await fetch(post(initialize))).status).toBe(503);
  });
});

describe('closing', () => {
  test('ends streams and calls of both eras, and later requests get an error', async () => {
    const registry = createRegistry();
    const ended: unknown[] = [];
    let started = () => {};
    registry.register({ name: 'wait', description: '' }, (_, { signal }) => {
      signal.addEventListener('abort', () => ended.push(signal.aborted));
      started();
      return new Promise(() => {});
    });
    const handler = handlerOf(registry);
    await using server = await serveOnLoopback(toNodeListener(handler));
    const options = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };
    for (const era of ['modern', 'legacy'] as const) {
      const client = await connectV2(era, new StreamableHTTPClientTransport(server.url, options));
      const isStarted = new Promise<void>((resolve) => (started = resolve));
      client.call({ name: 'wait' }).catch(() => undefined);
      await isStarted;
    }
    await Promise.all([handler.close(), handler.close()]);
    expect(ended).toEqual([true, true]);
    expect((await handler.fetch(post(initialize))).status).toBe(503);
    registry.register({ name: 'later', description: '' }, () => 'nobody is told');
  });

  test('of the connection cancels its call', async () => {
    const registry = createRegistry();
    let started = () => {};
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    const aborted = new Promise<void>((resolve) => {
      registry.register({ name: 'wait', description: '' }, (_, { signal }) => {
        signal.addEventListener('abort', () => resolve());
        started();
        return new Promise(() => {});
      });
    });
    await using server = await serveOnLoopback(toNodeListener(handlerOf(registry)));
    const client = await connectV2(
      'modern',
      new StreamableHTTPClientTransport(server.url, { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }),
    );
    client.call({ name: 'wait' }).catch(() => undefined);
    await isStarted;
    await client[Symbol.asyncDispose]();
    await aborted;
  });
});

describe('notifications of a subscriber', () => {
  test('are about what it may see, and nothing else', async () => {
    const registry = createRegistry({ roles: [{ role: 'guest', allowedTools: ['git.*'] }] });
    const handler = createRegistryHandler(registry.view({ role: 'guest' }), { token: TOKEN });
    await using server = await serveOnLoopback(toNodeListener(handler));
    const options = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };
    await using client = await connectV2('modern', new StreamableHTTPClientTransport(server.url, options));
    registry.register({ name: 'secret', description: '' }, () => '');
    const changed = client.nextChange();
    await registry.attach(createListSource('git', [tool('log')])).ready;
    await changed;
    expect(client.changes()).toBe(1);
    await handler.close();
  });

  test('have a limit', async () => {
    const { fetch, close } = handlerOf(createRegistry(), { maxSubscriptions: 1 });
    const listen = () => fetch(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    const first = await listen();
    expect(first.headers.get('content-type')).toContain('text/event-stream');
    const refused = await listen();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await refused.json()).toMatchObject({ id: 1, error: { message: expect.stringContaining('subscriptions') } });
    await first.body?.cancel();
    expect((await listen()).headers.get('content-type')).toContain('text/event-stream');
    await close();
  });
});
