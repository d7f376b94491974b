import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { type GatewayClient, gatewayWays } from '../helpers/gateway-client.js';
import { openSdkUpstreams } from '../helpers/sdk-upstreams.js';
import { createShelf } from '../helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** A response follows the notifications that were sent before it. */
const inOrder = gatewayWays.filter(({ name }) => name.startsWith('stdio'));

/** Earlier clients open their stream over HTTP a while after they have connected. */
const listening = gatewayWays.filter((way) => way.era === 'modern' || inOrder.includes(way));

const roles = [
  { role: 'left', allowedTools: ['left'] },
  { role: 'right', allowedTools: ['right'] },
  { role: 'one-tool', allowedTools: ['left__find'] },
];

async function open(role: string | undefined, { ways = gatewayWays, surface = 'full' as 'full' | 'search' } = {}) {
  const registry = createRegistry({ roles });
  const servers = { left: createShelf('left').server, right: createShelf('right').server };
  const upstreams = await openSdkUpstreams(registry, servers);
  const gateway = createGateway({ registry, upstreams, surface });
  opened.push(registry, upstreams, gateway);
  const clients = await Promise.all(
    ways.map((way) => way.connect(gateway, role === undefined ? {} : { role }) as Promise<GatewayClient>),
  );
  opened.push(...clients);
  return { upstreams, clients };
}

test.each([undefined, 'left'])(
  'clients that may use a whole server get its notice, though its list is the same (%s)',
  async (role) => {
    const { upstreams, clients } = await open(role, { ways: listening });
    upstreams.emitter.emit('tools-relisted', { server: 'left' });
    for (const client of clients) await client.next('notifications/tools/list_changed');
  },
);

test.each([
  ['may not use the server', 'right', 'full'],
  ['may use a part of the server', 'one-tool', 'full'],
  ['have no list of its tools', undefined, 'search'],
] as const)('clients that %s get no notice of it', async (_, role, surface) => {
  const { upstreams, clients } = await open(role, { ways: inOrder, surface });
  upstreams.emitter.emit('tools-relisted', { server: 'left' });
  for (const client of clients) {
    await client.request('tools/list');
    expect(client.untaken).toEqual([]);
  }
});
