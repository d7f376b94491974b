import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createClientManager } from '@x/mcp-client-manager';
import { fakeServer } from '@x/mcp-client-manager/testing';
import { createRegistry, type RoleRules, type ToolSource } from '@x/mcp-registry';
import { listenToConsole } from './stage/console.js';
import { connectHostOfThisProgram } from './stage/host-process.js';
import { openProject } from './stage/project.js';
import { urlOf } from './stage/url.js';

openProject();
const heard = listenToConsole();
const token = 'a-token-of-16-characters-or-more';
const port = 0; // any that is free
const roles: RoleRules = [{ role: 'review', allowedTools: ['add', 'files.*'] }];
const registry = createRegistry({ roles });
registry.register({ name: 'add', description: 'Adds two numbers' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));
const mcpServer = new McpServer({ name: 'my-app', version: '1.0.0' });
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: 2 } };

// #region ways-out
import { callFromAnthropic, toAnthropicTools } from '@x/mcp-registry/formats';
import { mountRegistry } from '@x/mcp-registry/sdk-v1';
import { createHttpServer, createRegistryHandler } from '@x/mcp-registry/server';

const httpServer = createHttpServer(createRegistryHandler(registry, { token })).listen(port, '127.0.0.1');
mountRegistry(mcpServer, registry.view({ role: 'review' }));
const tools = toAnthropicTools(registry); // and OpenAI's two APIs, and the AI SDK
const answer = await callFromAnthropic(registry, toolUse);
// #endregion ways-out

assert.deepEqual(
  tools.map(({ name }) => name),
  ['add', 'search_mcp_tools'],
);
assert.deepEqual(answer.content, [{ type: 'text', text: '{"sum":3}' }]);
assert.equal((await fetch(await urlOf(httpServer), { method: 'POST' })).status, 401);
httpServer.close().closeAllConnections();

await using git = fakeServer({ tools: [{ name: 'log' }] });
const config = { servers: [{ name: 'git', ...git.inProcess() }] };

// #region gateway
import { createGateway, gatewayCapabilities } from '@x/mcp-registry/server';

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

const files = source('files', 'Reads a file');

// #region audit
import { createAuditLog } from '@x/mcp-registry/node';

await using log = createAuditLog({ path: 'audit.jsonl' });
const audited = createRegistry({ roles, audit: log.record });
audited.attach(files);
await audited.view({ role: 'review', principal: 'alice' }).call('mcp__files__read_text', { path: 'README.md' });
// #endregion audit

await log.flush();
const events = readFileSync('audit.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
assert.deepEqual(
  events.map(({ principal, action, outcome }) => ({ principal, action, outcome })),
  ['started', 'ok'].map((outcome) => ({ principal: 'alice', action: 'call', outcome })),
);

const pinFile = resolve('pins.json');
{
  const yesterday = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path: pinFile }) });
  await yesterday.attach(source('files', 'Reads a file')).ready;
  await yesterday.close();
}
const changed = source('files', 'Reads a file, and tells nobody');

// #region pins
import { createPinFile } from '@x/mcp-registry/node';

const guarded = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path: pinFile }) });
await guarded.attach(changed).ready;

const waiting = guarded.pins.list({ trust: 'changed' }); // with digests, and findings such as hidden text
for (const tool of waiting) console.log(guarded.pins.diff(tool));
await guarded.pins.approve(waiting); // refused if a tool is not any more what was read
// #endregion pins

assert.ok(heard.lines.includes('+Reads a file, and tells nobody'), heard.lines.join('\n'));
assert.equal(guarded.list()[0]?.name, 'mcp__files__read_text');

const listed = listAsHost();

// #region stdio
import { serveRegistry } from '@x/mcp-registry/server';

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

function source(name: string, description: string): ToolSource {
  return {
    name,
    listTools: () => [{ name: 'read_text', description, inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'done' }] }),
  };
}
