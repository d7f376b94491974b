// What a consumer writes: the three libraries joined by hand, and the two subpaths and the CLI by their types.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ExitCode, type Io, run } from '@x/mcp-cli';
import { createClientManager, type ManagedServer } from '@x/mcp-client-manager';
import { type Config, isConfigError, parseConfig } from '@x/mcp-config-schema';
import { type LoadOptions, loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry, isRegistryError, type ToolSource } from '@x/mcp-registry';
import { toOpenAITools } from '@x/mcp-registry/formats';
import { createTokenVerifier } from '@x/mcp-registry/identity';
import { createAuditLog } from '@x/mcp-registry/node';
import { mountRegistry } from '@x/mcp-registry/sdk-v1';
import {
  createGateway,
  createHttpServer,
  createRegistryHandler,
  gatewayCapabilities,
  type ServeRegistryOptions,
  serveRegistry,
} from '@x/mcp-registry/server';

const config: Config = parseConfig([
  {
    file: '.mcp.json',
    text: JSON.stringify({ mcpServers: { greeter: { command: process.execPath, args: ['server.mjs'] } } }),
  },
  {
    file: 'tools.yaml',
    text: `
tools:
  assistant:
    mcp_tools:
      required: [greeter]
    role_restrictions:
      reader:
        allowed_tools: [shout]
`,
  },
]);

await using manager = createClientManager(config, { capabilities: gatewayCapabilities });
await using log = createAuditLog({ path: 'audit.jsonl' });
await using registry = createRegistry({ roles: config.roles, audit: log.record });

const greeter: ManagedServer = manager.server('greeter');
await greeter.start();
const source: ToolSource = greeter;
await registry.attach(source).ready;
registry.register({ name: 'shout', description: 'Says it louder' }, ({ text }) => String(text).toUpperCase());

const found = await registry.search({ query: 'greet somebody' });
equal(found.tools[0]?.name, 'mcp__greeter__greet');
const result = await registry.call('mcp__greeter__greet', { name: 'you' });
deepEqual(result.content, [{ type: 'text', text: 'Hello, you' }]);

const reader = registry.view({ role: 'reader' });
deepEqual((await reader.call('shout', { text: 'hi' })).content, [{ type: 'text', text: 'HI' }]);
await rejects(reader.call('mcp__greeter__greet', { name: 'you' }), isRegistryError);
equal(registry.explain('reader', 'greeter.greet').reason, 'not-listed');
await log.flush();
deepEqual([log.status.queued, log.status.dropped], [0, 0]);

const options: LoadOptions = { cwd: process.cwd(), files: ['not-there.yaml'] };
await rejects(loadConfig(options), isConfigError);

deepEqual(
  toOpenAITools(reader).map((tool) => tool.function.name),
  ['search_mcp_tools', 'shout'],
);
await using handler = createRegistryHandler(reader, {
  verifyToken: createTokenVerifier([{ token: 'a-token-of-some-length', id: 'me' }]),
});
equal((await handler.fetch(new Request('http://localhost/', { method: 'POST' }))).status, 401);

const token = 'another-token-of-some-length';
await using gateway = createGateway({ registry, upstreams: manager });
const server = createHttpServer(gateway.handler({ token })).listen(0, '127.0.0.1');
await once(server, 'listening');
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'consumer', version: '1.0.0' },
};
const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
});
equal(answer.status, 200);
ok((await answer.text()).includes('mcp-gateway'));
server.closeAllConnections();
server.close();

export const mount = (server: Parameters<typeof mountRegistry>[0]) => mountRegistry(server, reader);

// Types alone: these two would take over stdin and stdout.
export const serve = (options: ServeRegistryOptions) => serveRegistry(reader, options);
export const runCommand = (argv: readonly string[], io: Io): Promise<ExitCode> => run(argv, io);
