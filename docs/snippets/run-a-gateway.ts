import assert from 'node:assert/strict';
import { Client, type FetchLike, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { fakeServer } from '@x/mcp-client-manager/testing';
import { createGateway, type RegistryHandler } from '@x/mcp-gateway';
import { createRegistry, type Registry, type RoleRules } from '@x/mcp-registry';
import { testServer } from '@x/test-servers';
import { urlOf } from './stage/url.js';

const port = 0; // any that is free
const token = 'a-token-of-16-characters-or-more';
const roles: RoleRules = [{ role: 'review', allowedTools: ['git'] }];
await using fake = fakeServer({ tools: [{ name: 'search' }] });
const searching = { servers: ['git', 'web'].map((name) => ({ name, ...fake.inProcess() })) };

await findCollisions();
await limitRates();

const stage = await startServers();
const gateway = createGateway({ registry: stage.registry, upstreams: stage.manager });

// #region http
import { createHttpServer } from '@x/mcp-gateway';
import { createTokenVerifier, type StaticToken } from '@x/mcp-gateway/identity';

const tokens: readonly StaticToken[] = [{ token, id: 'alice', role: 'review' }]; // or from a file of yours
const handler = gateway.handler(
  { verifyToken: createTokenVerifier(tokens, { roles: 'required' }) },
  ({ id, role }) => ({ role, principal: id }),
);
// #region listen
const httpServer = createHttpServer(handler).listen(port, '127.0.0.1');
// #endregion listen
// #endregion http

const url = await urlOf(httpServer);
assert.deepEqual(await listTools(transportTo(url)), ['mcp__git__search', 'search_mcp_tools']);
assert.equal((await fetch(url, { method: 'POST' })).status, 401);
const { registry } = stage;
await endIt(stage.manager);
await assert.rejects(fetch(url, { method: 'POST' }), 'nothing listens any more');

async function endIt(manager: ClientManager): Promise<void> {
  // #region close
  await gateway.drain(); // lets calls finish
  await gateway.close(); // sessions, streams and calls of clients
  httpServer.close().closeAllConnections(); // the port, and connections that clients keep open
  await registry.close();
  await manager.close(); // the servers
  // #endregion close
}

const config = { servers: [{ name: 'curious', ...testServer('asks-host') }] };

// #region questions
import { gatewayCapabilities } from '@x/mcp-gateway';

const manager = createClientManager(config, { capabilities: gatewayCapabilities });
// #endregion questions

assert.match(await callAndAnswer(manager), /Fine, thanks/);
await manager.close();

/** The text of a call whose server wants the client's model to say something first. */
async function callAndAnswer(upstreams: ClientManager): Promise<string> {
  const registry = createRegistry();
  for (const server of upstreams.servers()) registry.attach(server);
  await upstreams.start();
  await using gateway = createGateway({ registry, upstreams });
  await using handler = gateway.handler({ token });
  const client = new Client({ name: 'snippet', version: '1.0.0' }, { capabilities: { sampling: {} } });
  client.setRequestHandler('sampling/createMessage', async () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: 'Fine, thanks' },
  }));
  await client.connect(transportTo(new URL('http://127.0.0.1/mcp'), handler));
  const result = await client.callTool({ name: 'mcp__curious__sample', arguments: {} });
  await client.close();
  return JSON.stringify(result.content);
}

async function findCollisions(): Promise<void> {
  await using stage = await startServers();
  await using gateway = createGateway({
    registry: stage.registry,
    upstreams: stage.manager,
    names: 'as-is',
    surface: 'full',
  });
  const ask = async () => {
    // #region collisions
    const collisions = await gateway.collisions();
    // [{ kind: 'tools', name: 'search', servers: ['git', 'web'] }]
    if (collisions.length > 0) throw new Error(`Serve them with prefixes: ${collisions.map(({ name }) => name)}`);
    // #endregion collisions
  };
  assert.deepEqual(await gateway.collisions(), [{ kind: 'tools', name: 'search', servers: ['git', 'web'] }]);
  await assert.rejects(ask, { message: 'Serve them with prefixes: search' });
}

async function limitRates(): Promise<void> {
  await using stage = await startServers();
  const { manager, registry } = stage;
  // #region limits
  const gateway = createGateway({
    registry,
    upstreams: manager,
    rateLimits: {
      perRole: { crawler: { requests: 60, perMs: 60_000, burst: 10 } }, // or one rate, for each role by itself
      perPrincipal: { requests: 600, perMs: 60_000 }, // each caller by itself
      perServer: { web: { requests: 5, perMs: 60_000 } }, // all callers together
    },
  });
  // #endregion limits
  await using handler = gateway.handler({ token });
  const client = new Client({ name: 'snippet', version: '1.0.0' });
  await client.connect(transportTo(new URL('http://127.0.0.1/mcp'), handler));
  const calls = Array.from({ length: 6 }, () => client.callTool({ name: 'mcp__web__search', arguments: {} }));
  const refused = (await Promise.allSettled(calls)).flatMap((call) =>
    call.status === 'rejected' ? [call.reason] : [],
  );
  assert.equal(refused.length, 1);
  assert.equal(refused[0].code, -32_000);
  assert.equal(refused[0].data.reason, 'rate-limited');
  await client.close();
  await gateway.close();
}

interface Stage extends AsyncDisposable {
  readonly registry: Registry;
  readonly manager: ClientManager;
}

async function startServers(): Promise<Stage> {
  const manager = createClientManager(searching);
  const registry = createRegistry({ roles });
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return { registry, manager, [Symbol.asyncDispose]: () => manager.close() };
}

async function listTools(transport: Transport): Promise<string[]> {
  const client = new Client({ name: 'snippet', version: '1.0.0' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

/** Over the network, or straight into a handler. */
function transportTo(url: URL, handler?: RegistryHandler): Transport {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const fetch: FetchLike | undefined = handler && ((to, init) => handler.fetch(new Request(to, init)));
  return new StreamableHTTPClientTransport(url, { requestInit, ...(fetch && { fetch }) });
}
