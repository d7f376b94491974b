// A host of a fleet, as deploy/ runs it. Needs a NATS server: docs/snippets/test/fleet-host.nats.ts starts one.

// #region program
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createFleet } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';
import { createRegistry } from '@x/mcp-registry';
import { createTokenVerifier } from '@x/mcp-registry/identity';
import { createGateway, createHttpServer } from '@x/mcp-registry/server';

const { FLEET_HOST: host = '', FLEET_SEED_FILE = '', NATS_SERVERS = '', NATS_CA_FILE, TOKENS_FILE = '' } = process.env;
const { GATEWAY_ADDRESS = '127.0.0.1', GATEWAY_PORT = '6279', GATEWAY_HOST = 'localhost' } = process.env;

const config = await loadConfig({ cwd: process.cwd() });
const manager = createClientManager(config);
const registry = createRegistry({ roles: config.roles });

// #region bus
const bus = await openNatsBus({
  servers: NATS_SERVERS.split(','),
  fleet: 'team',
  host,
  nkeySeed: (await readFile(FLEET_SEED_FILE, 'utf8')).trim(),
  tls: { caFile: NATS_CA_FILE },
  mustConnect: false, // what this host has works without the bus
});
// #endregion bus

// #region join
const fleet = createFleet({ bus, host, sources: manager.servers() });
fleet.attachTo(registry); // this host's own servers, and those of all others as they come and go
await manager.start();
// #endregion join

fleet.events.on('join-failed', ({ error }) => console.error(error.message));
fleet.events.on('forbidden', ({ operation, subject }) => console.error(`NATS forbids to ${operation} ${subject}`));
fleet.events.on('problem', ({ message, error }) => console.error(message, error ?? ''));

const gateway = createGateway({ registry, upstreams: manager });
const verifyToken = createTokenVerifier(JSON.parse(await readFile(TOKENS_FILE, 'utf8')), { roles: 'required' });
const handler = gateway.handler(
  { verifyToken, allowedHosts: [GATEWAY_HOST], healthPath: '/healthz' },
  ({ id, role }) => ({ role, principal: id }),
);
const httpServer = createHttpServer(handler).listen(Number(GATEWAY_PORT), GATEWAY_ADDRESS);
await once(httpServer, 'listening');
console.log(`${host} listens on`, httpServer.address());

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);

// #region leave
await gateway.close(); // calls of clients
await fleet.close(); // calls of other hosts; they know at once that this one has gone
httpServer.close().closeAllConnections();
await bus.close();
await registry.close();
await manager.close(); // the servers
// #endregion leave
// #endregion program
