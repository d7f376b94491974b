import { AckPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectRaw, type NatsConnection } from '@nats-io/transport-node';
import { type NatsServer, startNatsServer } from '@x/test-servers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { createFleet } from '../../src/index.js';
import { natsAccountsConfig, openNatsBus } from '../../src/nats.js';
import { watched } from '../bus/bus-observers.js';
import { until } from '../helpers/until.js';

const NODES = ['A', 'B', 'C', 'D', 'E', 'F'];
const STREAM = 'KV_mcp-fleet_default';
const loginOf = (node: string) => ({ user: `user-${node}`, password: `of ${node}` });
const config = natsAccountsConfig({ nodes: NODES.map((node) => ({ node, ...loginOf(node) })) });

let server: NatsServer;
beforeEach(async () => {
  server = await startNatsServer({ config });
  onTestFinished(() => server.stop());
});

async function connect(node: string): Promise<FleetBus> {
  const bus = await openNatsBus({ servers: server.url, node, ...loginOf(node) });
  onTestFinished(() => bus.close());
  return bus;
}

async function connectAsB(): Promise<NatsConnection> {
  const { user, password } = loginOf('B');
  const raw = await connectRaw({
    servers: server.url,
    user,
    pass: password,
    inboxPrefix: '_INBOX_B',
    reconnect: false,
  });
  onTestFinished(() => raw.close());
  return raw;
}

test.each([
  ['durable', (name: string) => ({ durable_name: name })],
  ['ephemeral', () => ({})],
])('a login makes at most 32 consumers for each login of the account: %s', async (_, settingsOf) => {
  await connect('A');
  const manager = await jetstreamManager(await connectAsB(), { checkAPI: false });
  let made = 0;
  const failure = await (async () => {
    for (; made < 1000; made++) {
      const name = `own-${made}`;
      await manager.consumers.add(STREAM, { name, ack_policy: AckPolicy.None, ...settingsOf(name) });
    }
  })().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('maximum consumers limit reached') });
  expect(made).toBe(32 * NODES.length);
});

test.each(['file', 'memory'] as const)('a node fills the bucket up to 32 MiB: storage %s', async (storage) => {
  const bus = await openNatsBus({ servers: server.url, node: 'B', ...loginOf('B'), storage });
  onTestFinished(() => bus.close());
  await expectFull(bus, 32);
});

test.each([
  ['file', 160],
  ['memory', 32],
] as const)('a stream without a bound of its own ends at the limit of the account: %s', async (storage, mebibytes) => {
  const manager = await jetstreamManager(await connectAsB(), { checkAPI: false });
  await manager.streams.add({ name: STREAM, subjects: ['$KV.mcp-fleet_default.>'], storage, max_bytes: -1 });
  await expectFull(await connect('B'), mebibytes);
});

async function expectFull(bus: FleetBus, mebibytes: number): Promise<void> {
  const value = new Uint8Array(512 * 1024);
  let written = 0;
  const failure = await (async () => {
    for (; written < 400; written++) await bus.bucket.put(`server.B.own-${written}`, value);
  })().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'bus-down', message: expect.stringMatching(/exceeded/) });
  expect(written).toBeLessThanOrEqual(2 * mebibytes);
  expect(written).toBeGreaterThan(2 * mebibytes - 4);
}

test('a node for each login joins, after 20 earlier connections of each', async () => {
  for (const node of NODES) {
    for (let round = 0; round < 20; round++) {
      await using bus = await connect(node);
      await watched(bus).opened;
    }
  }
  const fleets = await Promise.all(
    NODES.map(async (node) => {
      const source = { name: 'files', listTools: () => [], callTool: async () => ({ content: [] }) };
      const fleet = createFleet({ bus: await connect(node), node, sources: [source] });
      onTestFinished(() => fleet.close());
      return fleet;
    }),
  );
  for (const fleet of fleets) await until(fleet, () => fleet.sources().length === NODES.length);
});
