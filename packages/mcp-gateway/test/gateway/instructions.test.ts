import { createRegistry } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../src/index.js';
import { createRegistryHandler, toNodeListener } from '../../src/index.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';
import { gatewayWays } from './helpers/gateway-client.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';
import { createShelf } from './helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function open(options: Partial<GatewayOptions> = {}) {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['left.find'] }] });
  const servers = { right: createShelf('right').server, left: createShelf('left').server };
  const upstreams = await openSdkUpstreams(registry, servers);
  const gateway = createGateway({ registry, upstreams, ...options });
  opened.push(registry, upstreams, gateway);
  return { gateway, registry };
}

const introduction = 'Instructions of the servers behind these tools, in their own words:';
const left = '"left":\n> Read left';
const right = '"right":\n> Read right';

describe.each(gatewayWays)('$name', ({ connect }) => {
  const sent = async (options: Partial<GatewayOptions>, audience = {}) => {
    const { gateway } = await open(options);
    const client = await connect(gateway, audience);
    opened.push(client);
    return client.info.instructions;
  };

  test('clients get the instructions of all servers after those of the gateway', async () => {
    expect(await sent({ instructions: 'Be kind.' })).toBe(`Be kind.\n\n${introduction}\n\n${left}\n\n${right}`);
    expect(await sent({ surface: 'search' })).toMatch(/^There are more tools .*> Read left/s);
  });

  test('a role gets those of servers whose tools it may use', async () => {
    expect(await sent({ instructions: '' }, { role: 'r' })).toBe(`${introduction}\n\n${left}`);
  });

  test('with as-is names, several servers are named, and one speaks for itself', async () => {
    expect(await sent({ names: 'as-is' })).toBe(`${introduction}\n\n${left}\n\n${right}`);
    expect(await sent({ names: 'as-is' }, { servers: ['left'] })).toBe('Read left');
  });

  test('they are cut to a length, or left out', async () => {
    const maxInstructionCharacters = 150;
    const text = await sent({ instructions: '', maxInstructionCharacters });
    expect(text?.length).toBeLessThanOrEqual(maxInstructionCharacters);
    expect(await sent({ instructions: 'Be kind.', maxInstructionCharacters: 0 })).toBe('Be kind.');
  });
});

test('a later session gets changed instructions', async () => {
  const { gateway, registry } = await open();
  const way = gatewayWays[1] as (typeof gatewayWays)[number];
  const before = await way.connect(gateway);
  opened.push(before);
  let listener = () => {};
  const source = {
    name: 'web',
    instructions: 'Search first.',
    listTools: () => [{ name: 'get', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [] }),
    onToolsChanged: (listen: () => void) => {
      listener = listen;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  await registry.attach(source).ready;
  source.instructions = 'Search twice.';
  listener();
  const after = await way.connect(gateway);
  opened.push(after);
  expect(before.info.instructions).not.toContain('"web"');
  expect(after.info.instructions).toContain('"web":\n> Search twice.');
});

test('the handler of one view has them, too', async () => {
  const { registry } = await open();
  const handler = createRegistryHandler(registry.view({ role: 'r' }), { allowAnonymous: true, instructions: '' });
  const server = await serveOnLoopback(toNodeListener(handler));
  opened.push(handler, server);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  expect(await response.text()).toContain(JSON.stringify(`${introduction}\n\n${left}`));
});
