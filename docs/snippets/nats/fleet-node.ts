// A node of a fleet, as deploy/ runs it. Needs a NATS server: docs/snippets/test/fleet-node.nats.ts starts one.

// #region program
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createFleet } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';
import { createGateway, createHttpServer } from '@x/mcp-gateway';
import { createTokenVerifier } from '@x/mcp-gateway/identity';
import { createRegistry } from '@x/mcp-registry';

const { FLEET_NODE: node = '', FLEET_SEED_FILE = '', NATS_SERVERS = '', NATS_CA_FILE, TOKENS_FILE = '' } = process.env;
const { GATEWAY_ADDRESS = '127.0.0.1', GATEWAY_PORT = '6279', GATEWAY_HOST = 'localhost' } = process.env;

const config = await loadConfig({ cwd: process.cwd() });
// #region placement
const placementOf = new Map(config.servers.map(({ name, placement }) => [name, placement]));
const servers = config.servers.map((server) => {
  return server.placement === 'singleton' ? { ...server, autoStart: false, eager: false } : server; // the fleet starts it
});
const manager = createClientManager({ servers });
const sources = manager.servers().map((source) => ({ source, placement: placementOf.get(source.name) }));
// #endregion placement
const registry = createRegistry({ roles: config.roles });

// #region bus
const bus = await openNatsBus({
  servers: NATS_SERVERS.split(','),
  fleet: 'team',
  node,
  nkeySeed: (await readFile(FLEET_SEED_FILE, 'utf8')).trim(),
  tls: { caFile: NATS_CA_FILE },
  mustConnect: false, // what this node has works without the bus
});
// #endregion bus

// #region join
const fleet = createFleet({ bus, node, sources });
for (const event of ['joined', 'join-failed', 'bus-state', 'bus-failed', 'node-state'] as const) {
  fleet.events.on(event, (detail) => log(event, detail)); // at once, or it may be over
}
for (const event of ['singleton-state', 'problem', 'forbidden'] as const) {
  fleet.events.on(event, (detail) => log(event, detail));
}
fleet.attachTo(registry); // this node's own servers, and those of all others as they come and go
await manager.start();
// #endregion join
process.on('SIGUSR2', () => log('status', fleet.status()));

const gateway = createGateway({ registry, upstreams: manager });
const verifyToken = createTokenVerifier(JSON.parse(await readFile(TOKENS_FILE, 'utf8')), { roles: 'required' });
const handler = gateway.handler(
  { verifyToken, allowedHosts: GATEWAY_HOST.split(','), healthPath: '/healthz' },
  ({ id, role }) => ({ role, principal: id }),
);
const httpServer = createHttpServer(handler).listen(Number(GATEWAY_PORT), GATEWAY_ADDRESS);
await once(httpServer, 'listening');
log('listening', Object(httpServer.address()));

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);

// #region leave
await gateway.drain(); // calls of clients have 20 seconds to finish
await gateway.close();
await fleet.close(); // calls of other nodes; they know at once that this one has gone
httpServer.close().closeAllConnections();
await bus.close();
await registry.close();
await manager.close(); // the servers
// #endregion leave

/** One line of JSON. A FleetError says there what it is about; of other errors the message is enough. */
function log(event: string, detail: object): void {
  const plain = (_key: string, value: unknown) => (value instanceof Error ? { message: value.message } : value);
  console.log(JSON.stringify({ event, ...detail }, plain));
}
// #endregion program
