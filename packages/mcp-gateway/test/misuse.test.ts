// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.
import { PassThrough } from 'node:stream';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/server';
import { createRegistry } from '@x/mcp-registry';
import { openCodeRunner } from '@x/mcp-registry/code';
import { documentedMistakes, type Mistake, outcomeOf } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createJwtVerifier, createTokenVerifier } from '../src/identity.js';
import { createGateway, createHttpServer, createRegistryHandler, serveRegistry, toNodeListener } from '../src/index.js';
import { mountRegistry } from '../src/sdk-v1.js';
import { silentUpstreams } from './gateway/helpers/plain-upstream.js';

const anything = (value: unknown): any => value;
const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['files'] }] });
const upstreams = silentUpstreams();
const token = 'the-token-of-alice';
const verifyToken = createTokenVerifier([{ token, id: 'alice', role: 'raeder' }]);
const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

const gateway = (options: object) => ({ returned: createGateway({ registry, upstreams, ...options }) });
const serve = (options: unknown) => ({ returned: createGateway({ registry, upstreams }).serve(anything(options)) });
const handler = (options: unknown, audienceOf?: unknown) => ({
  returned: createGateway({ registry, upstreams }).handler(anything(options), anything(audienceOf)),
});
const registryHandler = (view: unknown, options: unknown = { token }) => ({
  returned: createRegistryHandler(anything(view), anything(options)),
});

/** What operators see of a request with a token. */
async function reportOf(view: unknown, options: object): Promise<{ reports: string }> {
  const errors: string[] = [];
  const onError = ({ message }: Error) => void errors.push(message);
  await using served = createRegistryHandler(anything(view), anything({ onError, ...options }));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await served.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  return { reports: `${response.status}: ${errors.join()}` };
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'createGateway(registry, manager)': () => ({ returned: anything(createGateway)(registry, upstreams) }),
  'createGateway({ registry }) without upstreams': () => gateway({ upstreams: undefined }),
  'createGateway({ registry: createRegistry, upstreams })': () => gateway({ registry: createRegistry }),
  'createGateway({ registry: openRegistry(), upstreams }) of an async function': () =>
    gateway({ registry: Promise.resolve(registry) }),
  'createGateway({ registry: registry.view({ role }), upstreams })': () =>
    gateway({ registry: registry.view({ role: 'reader' }) }),
  'createGateway({ registry, upstreams: manager.servers() })': () => gateway({ upstreams: [] }),
  'createGateway({ registry, manager })': () => ({
    returned: createGateway(anything({ registry, manager: upstreams })),
  }),
  'createGateway({ …, names: "as_is" })': () => gateway({ names: 'as_is' }),
  'createGateway({ …, names: "as-is", surface: "search" })': () => gateway({ names: 'as-is', surface: 'search' }),
  'createGateway({ …, surface: "search", code: openCodeRunner() }) without await': async () => {
    const code = openCodeRunner();
    try {
      return gateway({ surface: 'search', code });
    } finally {
      await (await code).close();
    }
  },
  'createGateway({ …, rateLimits: { perRole: "60/m" } })': () => gateway({ rateLimits: { perRole: '60/m' } }),
  'createGateway({ …, rateLimits: { perRole: { requests: 60 } } })': () =>
    gateway({ rateLimits: { perRole: { requests: 60 } } }),
  'createGateway({ …, rateLimits: { perRoles: … } })': () => gateway({ rateLimits: { perRoles: {} } }),
  'createGateway({ …, listTimeout: 5_000 })': () => gateway({ listTimeout: 5_000 }),
  'createGateway({ …, inputTimeoutMs: 0.3 }), seconds for milliseconds': () => gateway({ inputTimeoutMs: 0.3 }),
  'createGateway(openOptions()) of an async function': () => ({
    returned: createGateway(anything(Promise.resolve({}))),
  }),
  'gateway.serve("reader")': () => serve('reader'),
  'gateway.serve({ roles: "reader" })': () => serve({ ...streams(), roles: 'reader' }),
  'gateway.serve({ role: user.role }) of a user without one': () => serve({ ...streams(), role: undefined }),
  'gateway.serve({ stdin: "inherit" })': () => serve({ stdin: 'inherit' }),
  'gateway.serve() after close()': async () => {
    const closed = createGateway({ registry, upstreams });
    await closed.close();
    return { returned: closed.serve(streams()) };
  },
  'gateway.handler() without access': () => handler(undefined),
  'gateway.handler({ token: "secret" })': () => handler({ token: 'secret' }),
  'gateway.handler({ token, verifyToken })': () => handler({ token, verifyToken }),
  'gateway.handler({ allowAnonymous: false })': () => handler({ allowAnonymous: false }),
  'gateway.handler({ verify: verifyToken })': () => handler({ verify: verifyToken }),
  'gateway.handler(options, { role: "reader" })': () => handler({ token }, { role: 'reader' }),
  'gateway.handler(options, async (caller) => …)': () => handler({ token }, async () => ({ role: 'reader' })),
  'gateway.handler({ verifyToken }, audienceOf) for a role that does not exist': () =>
    handler({ verifyToken }, ({ id, role }: { id: string; role: string }) => ({ role, principal: id })),
  'gateway.handler({ token, allowedHosts: "localhost" })': () => handler({ token, allowedHosts: 'localhost' }),
  'gateway.handler({ token, allowedHosts: ["http://localhost"] })': () =>
    handler({ token, allowedHosts: ['http://localhost'] }),
  'gateway.handler({ token, allowedOrigins: ["*"] })': () => handler({ token, allowedOrigins: ['*'] }),
  'createRegistryHandler(registry) without options': () => registryHandler(registry, {}),
  'createRegistryHandler("reader", options)': () => registryHandler('reader'),
  'createRegistryHandler(registry.list(), options)': () => registryHandler(registry.list()),
  'createRegistryHandler(openRegistry(), options) of an async function': () =>
    registryHandler(Promise.resolve(registry)),
  'createRegistryHandler(registry, { token, port: 8080 })': () => registryHandler(registry, { token, port: 8080 }),
  'createRegistryHandler(registry, { verifyToken: (token) => token === "…" })': () =>
    reportOf(registry, { verifyToken: (given: string) => given === token }),
  'createRegistryHandler(async () => view, options)': () => reportOf(async () => registry, { token }),
  'serveRegistry(registry.list())': () => ({ returned: serveRegistry(anything(registry.list())) }),
  'serveRegistry(registry, process.stdin)': () => ({
    returned: serveRegistry(registry, anything(new PassThrough())),
  }),
  'createHttpServer(handler.fetch)': () => ({
    returned: createHttpServer(anything(createRegistryHandler(registry, { token }).fetch)),
  }),
  'createHttpServer(gateway)': () => ({
    returned: createHttpServer(anything(createGateway({ registry, upstreams }))),
  }),
  'createHttpServer(handler, { port: 8080 })': () => ({
    returned: createHttpServer(createRegistryHandler(registry, { token }), anything({ port: 8080 })),
  }),
  'createHttpServer(handler, { tls: { cert } }) without key': () => ({
    returned: createHttpServer(createRegistryHandler(registry, { token }), { tls: { cert: 'x' } }),
  }),
  'toNodeListener(openHandler()) of an async function': () => ({
    returned: toNodeListener(anything(Promise.resolve({ fetch: async () => new Response() }))),
  }),
  'mountRegistry(server of SDK 2.x, registry)': () => ({
    returned: mountRegistry(anything(new McpServer({ name: 'app', version: '1.0.0' })), registry),
  }),
  'mountRegistry(registry, server), swapped': () => ({
    returned: mountRegistry(anything(registry), anything(new Server({ name: 'app', version: '1.0.0' }))),
  }),
  'mountRegistry(server, registry.list())': () => ({
    returned: mountRegistry(new Server({ name: 'app', version: '1.0.0' }), anything(registry.list())),
  }),
  'mountRegistry() after connect()': async () => {
    const server = new Server({ name: 'app', version: '1.0.0' });
    const [transport] = InMemoryTransport.createLinkedPair();
    await server.connect(transport);
    try {
      return { returned: mountRegistry(server, registry) };
    } finally {
      await server.close();
    }
  },
  'createTokenVerifier({ [token]: "alice" })': () => ({
    returned: createTokenVerifier(anything({ [token]: 'alice' })),
  }),
  'createTokenVerifier([token])': () => ({ returned: createTokenVerifier(anything([token])) }),
  'createTokenVerifier([{ token, id: "alice", rol: "reader" }])': () => ({
    returned: createTokenVerifier([{ token, id: 'alice', rol: 'reader' }]),
  }),
  'createTokenVerifier([{ token: "secret", id: "alice" }])': () => ({
    returned: createTokenVerifier([{ token: 'secret', id: 'alice' }]),
  }),
  'createTokenVerifier([{ token, id: "alice" }], { role: "required" })': () => ({
    returned: createTokenVerifier([{ token, id: 'alice' }], anything({ role: 'required' })),
  }),
  'createJwtVerifier({ issuer }) without audience': () => ({
    returned: createJwtVerifier(anything({ issuer: 'https://id.example.com' })),
  }),
};

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Gateway');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}
