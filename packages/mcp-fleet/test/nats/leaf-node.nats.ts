import { freePorts, type NatsServer, startNatsServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { createFleet, type Fleet } from '../../src/fleet.js';
import { natsAccountsConfig, openNatsBus } from '../../src/nats.js';
import { bytes, eventOf } from '../bus/bus-observers.js';
import { openProxy } from '../bus/cuttable-proxy.js';
import { ScriptedSource } from '../faults/scripted-source.js';
import { sourceOf, until } from '../helpers/until.js';
import { untilPhase } from './until-phase.js';

const HEARTBEAT_MS = 300;
const password = (login: string) => `password-of-${login}`;
const accounts = natsAccountsConfig({
  fleet: 'team',
  domain: 'hub',
  nodes: ['build-1', 'laptop'].map((node) => ({ node, user: node, password: password(node) })),
  administrator: { user: 'site', password: password('site') },
});

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function startServer(options: Parameters<typeof startNatsServer>[0]): Promise<NatsServer> {
  const server = await startNatsServer(options);
  ending.push(() => server.stop());
  return server;
}

/** A hub that has the fleet's keys, and a server at a site of its own, which dials the hub on a way that can be cut. */
async function startSite({ hasJetStream }: { readonly hasJetStream: boolean }) {
  const [port = 0] = await freePorts(1);
  const way = await openProxy(port);
  ending.push(async () => way[Symbol.asyncDispose]());
  // Otherwise the dialing server learns the address behind the proxy.
  const advertised = way.url.replace('nats://', '');
  const hub = await startServer({
    domain: 'hub',
    config: `server_name: hub\nleafnodes { listen: "127.0.0.1:${port}", advertise: "${advertised}" }\n${accounts}`,
  });
  const url = way.url.replace('//', `//site:${password('site')}@`);
  const leaf = await startServer({
    jetstream: hasJetStream,
    domain: 'site',
    config: [
      'server_name: site',
      `leafnodes { remotes: [ { url: "${url}", account: "mcp-fleet_team" } ] }`,
      hasJetStream ? accounts : accounts.replace(/jetstream: \{.*\}/, ''),
    ].join('\n'),
  });
  return { hub, leaf, way };
}

async function connect(node: string, { url }: NatsServer, domain?: string): Promise<FleetBus> {
  const login = { user: node, password: password(node) };
  const bus = await openNatsBus({ servers: url, fleet: 'team', node, domain, ...login, requestTimeoutMs: 1000 });
  ending.push(() => bus.close());
  return bus;
}

/** As soon as the two servers have met. */
async function connectThrough(leaf: NatsServer): Promise<FleetBus> {
  for (;;) {
    const bus = await connect('laptop', leaf, 'hub').catch(() => undefined);
    if (bus !== undefined) return bus;
  }
}

async function join(node: string, bus: FleetBus): Promise<Fleet> {
  const files = new ScriptedSource({ name: 'files', place: node, tools: 0, tell: () => undefined });
  const fleet = createFleet({ bus, node, heartbeatMs: HEARTBEAT_MS, sources: [files] });
  ending.push(() => fleet.close());
  await fleet.whenJoined();
  return fleet;
}

async function who(fleet: Fleet, source: string): Promise<unknown> {
  const { content } = await (await sourceOf(fleet, source)).callTool('who', {}, {});
  return content[0]?.text;
}

describe.each([
  ['without a JetStream of its own', false],
  ['with a JetStream of its own', true],
])('behind a leaf node %s', (_, hasJetStream) => {
  test('a node that names the domain joins like the others, with its permissions enforced', async () => {
    const { hub, leaf } = await startSite({ hasJetStream });
    const bus = await connectThrough(leaf);
    const laptop = await join('laptop', bus);
    const build = await join('build-1', await connect('build-1', hub, 'hub'));
    expect(await who(build, 'files@laptop')).toBe('laptop');
    expect(await who(laptop, 'files@build-1')).toBe('build-1');

    const told = eventOf(bus, 'forbidden');
    await expect(bus.bucket.put('lease.build-1', bytes('forged'))).rejects.toMatchObject({ code: 'forbidden' });
    expect(await told).toEqual({ type: 'forbidden', operation: 'write', subject: 'lease.build-1' });
    const toldOfCall = eventOf(bus, 'forbidden');
    bus.publish('call.laptop.files.build-1', bytes('forged'));
    expect(await toldOfCall).toMatchObject({ operation: 'publish', subject: 'call.laptop.files.build-1' });
  });
});

test('a node behind a cut-off leaf node keeps its own servers, and rejoins on the same connection', async () => {
  const { hub, leaf, way } = await startSite({ hasJetStream: false });
  const bus = await connectThrough(leaf);
  const laptop = await join('laptop', bus);
  const build = await join('build-1', await connect('build-1', hub, 'hub'));
  await sourceOf(laptop, 'files@build-1');
  await sourceOf(build, 'files@laptop');

  way.cut();
  const isLost = (fleet: Fleet) => fleet.status().nodes.some(({ state }) => state === 'unreachable');
  await Promise.all([laptop, build].map((fleet) => until(fleet, () => isLost(fleet))));
  await untilPhase(laptop, 'cut-off');
  expect(laptop.status().isBusConnected).toBe(true);
  expect(await who(laptop, 'files')).toBe('laptop');
  expect(await who(build, 'files')).toBe('build-1');
  await expect(who(laptop, 'files@build-1')).rejects.toMatchObject({ code: 'node-unreachable' });
  await expect(bus.bucket.put('lease.laptop', bytes('unheard'))).rejects.toMatchObject({
    code: 'bus-down',
    retryable: true,
  });

  way.heal();
  await Promise.all([laptop, build].map((fleet) => until(fleet, () => !isLost(fleet))));
  await untilPhase(laptop, 'joined');
  expect(await who(build, 'files@laptop')).toBe('laptop');
  expect(await who(laptop, 'files@build-1')).toBe('build-1');
});

test('a node behind a leaf node without JetStream and without a domain gets an error that names the option', async () => {
  const { leaf } = await startSite({ hasJetStream: false });
  const failure = await connect('laptop', leaf).catch((error) => error);
  expect(failure).toMatchObject({ code: 'unsuitable-bus', message: expect.stringContaining('domain') });
});
