import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createRegistry } from '@x/mcp-registry';
import { connectHostOfThisProgram } from './stage/host-process.js';
import { urlOf } from './stage/url.js';

const ALICE = 'a-token-that-only-alice-knows';
Object.assign(process.env, {
  ALICE_TOKEN_SHA256: createHash('sha256').update(ALICE).digest('hex'),
  BOT_TOKEN: 'a-token-that-only-the-bot-knows',
});
const registry = createRegistry({
  roles: [
    { role: 'review', allowedTools: ['notes.read'] },
    { role: 'bot', allowedTools: ['notes.read'] },
  ],
});
const inputSchema = { type: 'object' };
registry.attach({
  name: 'notes',
  listTools: () => ['read', 'write'].map((name) => ({ name, inputSchema })),
  callTool: async (tool) => ({ content: [{ type: 'text', text: `${tool} it` }] }),
});

const visit = connectHostOfThisProgram().then(async (host) => {
  assert.deepEqual(await namesOf(host), ['mcp__notes__read', 'search_mcp_tools']);
  await host.close();
});

// #region stdio
import { serveRegistry } from '@x/mcp-gateway';

const serving = serveRegistry(registry.view({ role: 'review' }), { name: 'my-app', version: '1.0.0' });
await serving.closed; // the client has gone
// #endregion stdio

await visit;

// #region identity
import { createJwtVerifier, createTokenVerifier } from '@x/mcp-gateway/identity';

const byToken = createTokenVerifier([
  { tokenSha256: process.env.ALICE_TOKEN_SHA256, id: 'alice', role: 'review' },
  { token: process.env.BOT_TOKEN, id: 'bot', role: 'bot' }, // of at least 16 characters
]);

const byLogin = createJwtVerifier({
  issuer: 'https://login.example.com',
  audience: 'https://tools.example.com/mcp',
  jwksUrl: 'https://login.example.com/.well-known/jwks.json', // or jwks: { keys: [...] }
  roleClaim: 'role',
  requiredScopes: ['tools'],
});
// #endregion identity

assert.deepEqual(byToken(ALICE), { id: 'alice', role: 'review' });
assert.equal(byToken('somebody else entirely'), undefined);
assert.equal(await byLogin('no token of that server'), undefined);

const users = { findByToken: byToken };
const port = 0; // any that is free

// #region http
import { createHttpServer, createRegistryHandler } from '@x/mcp-gateway';

const handler = createRegistryHandler((caller) => registry.view({ role: caller.role, principal: caller.id }), {
  verifyToken: (token: string) => users.findByToken(token), // { id: 'alice', role: 'review' }, or undefined
  allowedHosts: ['tools.example.com'],
});
const server = createHttpServer(handler).listen(port, '127.0.0.1');
// #endregion http

assert.equal((await fetch(await urlOf(server))).status, 403, 'another Host than tools.example.com');
const nobody = await handler.fetch(new Request('http://tools.example.com/mcp', { method: 'POST', body: '{}' }));
assert.equal(nobody.status, 401);
const remote = new Client({ name: 'remote', version: '1.0.0' });
const overHttp = new StreamableHTTPClientTransport(new URL('http://tools.example.com/mcp'), {
  fetch: (url, init) => handler.fetch(new Request(url, init)),
  requestInit: { headers: { authorization: `Bearer ${ALICE}` } },
});
await remote.connect(overHttp);
assert.deepEqual(await namesOf(remote), ['mcp__notes__read', 'search_mcp_tools']);
await remote.close();

// #region close
await handler.close(); // ends sessions, streams and calls
server.close();
// #endregion close

const connecting = connectHostOfThisProgram();

// #region mount
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mountRegistry } from '@x/mcp-gateway/sdk-v1';

const app = new McpServer({ name: 'my-app', version: '1.0.0' });
app.registerTool('status', { description: 'How the app is' }, () => ({ content: [{ type: 'text', text: 'fine' }] }));

const mounted = mountRegistry(app, registry.view({ role: 'review' })); // Server, or McpServer
await app.connect(new StdioServerTransport());
// #endregion mount

const host = await connecting;
assert.deepEqual(await namesOf(host), ['status', 'mcp__notes__read', 'search_mcp_tools']);

// #region unmount
mounted[Symbol.dispose](); // the server answers as before
// #endregion unmount

assert.deepEqual(await namesOf(host), ['status']);
await host.close();

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
