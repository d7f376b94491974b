// A program that serves a registry and the servers of a manager.
import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createClientManager } from '@x/mcp-client-manager';
import {
  createGateway,
  createHttpServer,
  createRegistryHandler,
  gatewayCapabilities,
  isGatewayError,
  type ServeRegistryOptions,
  serveRegistry,
} from '@x/mcp-gateway';
import { createTokenVerifier } from '@x/mcp-gateway/identity';
import { mountRegistry } from '@x/mcp-gateway/sdk-v1';
import { createRegistry } from '@x/mcp-registry';

const servers = [{ name: 'greeter', transport: 'stdio', command: process.execPath, args: ['server.mjs'] }] as const;
await using manager = createClientManager({ servers }, { capabilities: gatewayCapabilities });
await using registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['shout'] }] });
await registry.attach(manager.server('greeter')).ready;
registry.register({ name: 'shout', description: 'Says it louder' }, ({ text }) => String(text).toUpperCase());
const reader = registry.view({ role: 'reader' });
equal(isGatewayError(new Error('of something else')), false);

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

// Types alone: it would take over stdin and stdout.
export const serve = (options: ServeRegistryOptions) => serveRegistry(reader, options);
