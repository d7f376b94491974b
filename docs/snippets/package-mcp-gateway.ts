import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createClientManager } from '@x/mcp-client-manager';
import { fakeServer } from '@x/mcp-client-manager/testing';
import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { connectHostOfThisProgram } from './stage/host-process.js';
import { urlOf } from './stage/url.js';

const token = 'a-token-of-16-characters-or-more';
const port = 0; // any that is free
const roles: RoleRules = [{ role: 'review', allowedTools: ['add'] }];
const registry = createRegistry({ roles });
registry.register({ name: 'add', description: 'Adds two numbers' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));
const mcpServer = new McpServer({ name: 'my-app', version: '1.0.0' });
await using git = fakeServer({ tools: [{ name: 'log' }] });
const config = { servers: [{ name: 'git', ...git.inProcess() }] };

// #region gateway
import { createGateway, createHttpServer, gatewayCapabilities } from '@x/mcp-gateway';

const manager = createClientManager(config, { capabilities: gatewayCapabilities });
for (const server of manager.servers()) registry.attach(server);
await manager.start();
const gateway = createGateway({ registry, upstreams: manager });
const gatewayServer = createHttpServer(gateway.handler({ token })).listen(port, '127.0.0.1');
// #endregion gateway

const headers = { authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(await urlOf(gatewayServer), { requestInit: { headers } });
const client = new Client({ name: 'snippet', version: '1.0.0' });
await client.connect(transport);
const { content } = await client.callTool({ name: 'mcp__git__log', arguments: { limit: 1 } });
assert.deepEqual(content, [{ type: 'text', text: '{"limit":1}' }]);
await client.close();
await gateway.close();
await manager.close();
gatewayServer.close().closeAllConnections();

// #region registry
import { createRegistryHandler } from '@x/mcp-gateway';
import { mountRegistry } from '@x/mcp-gateway/sdk-v1';

const httpServer = createHttpServer(createRegistryHandler(registry, { token })).listen(port, '127.0.0.1');
mountRegistry(mcpServer, registry.view({ role: 'review' })); // on a server of @modelcontextprotocol/sdk 1.x
// #endregion registry

assert.equal((await fetch(await urlOf(httpServer), { method: 'POST' })).status, 401);
httpServer.close().closeAllConnections();

const listed = listAsHost();

// #region stdio
import { serveRegistry } from '@x/mcp-gateway';

const serving = serveRegistry(registry.view({ role: 'review' }), { name: 'my-app', version: '1.0.0' });
await serving.closed; // the client has gone
// #endregion stdio

assert.deepEqual(await listed, ['add', 'search_mcp_tools']);

async function listAsHost(): Promise<string[]> {
  const host = await connectHostOfThisProgram();
  const { tools } = await host.listTools();
  await host.close();
  return tools.map(({ name }) => name);
}
