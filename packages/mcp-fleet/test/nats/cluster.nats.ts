import { connect as connectRaw, RequestError } from '@nats-io/transport-node';
import { type NatsCluster, type NatsMember, startNatsCluster } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callSubject } from '../../src/bus/fleet-subjects.js';
import type { FleetBus } from '../../src/bus.js';
import { createFleet, type Fleet } from '../../src/fleet.js';
import { type NatsBusOptions, openNatsBus } from '../../src/nats.js';
import { bytes, eventOf, watched } from '../bus/bus-observers.js';
import { type CuttableProxy, openProxy } from '../bus/cuttable-proxy.js';
import { ScriptedSource } from '../faults/scripted-source.js';
import { sourceOf, until } from '../helpers/until.js';
import { untilPhase } from './until-phase.js';

const HEARTBEAT_MS = 1000;
const NODES = ['a', 'b', 'c'];
/** Longer than a cluster takes to choose a leader, which is 4 to 9 seconds. */
const PATIENT_MS = 30_000;

interface Node {
  readonly name: string;
  readonly bus: FleetBus;
  readonly fleet: Fleet;
  /** Marks of the calls that its servers were given. */
  readonly called: unknown[];
}

let cluster: NatsCluster;
/** What the bucket of the fleet was made on, and two others. */
let leader: NatsMember;
let followers: readonly [NatsMember, NatsMember];
/** Ways of the node `a`, which begins on the leader. */
let toLeader: CuttableProxy;
let toFollower: CuttableProxy;
let nodes: readonly [Node, Node, Node];
const ending: (() => Promise<unknown>)[] = [];
const holding = new Set<string>();
let mostHolding = 0;

beforeAll(async () => {
  cluster = await startNatsCluster();
  ending.push(() => cluster.stop());
  await open('maker', cluster.urls);
  leader = await leaderNow(cluster.urls);
  const [first, second] = cluster.members.filter((member) => member !== leader);
  if (first === undefined || second === undefined) throw new Error('A cluster has three members');
  followers = [first, second];
  toLeader = await openProxy(leader.port);
  toFollower = await openProxy(first.port);
  ending.push(...[toLeader, toFollower].map((proxy) => async () => proxy[Symbol.asyncDispose]()));
  toFollower.cut();
  const a = await startNode('a', [toLeader.url, toFollower.url]);
  toFollower.heal();
  nodes = [a, await startNode('b', [first.url]), await startNode('c', [second.url])];
  await untilAllMet();
});

afterAll(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function open(node: string, servers: readonly string[], options: Partial<NatsBusOptions> = {}) {
  const bus = await openNatsBus({ servers, node, replicas: 3, ...options });
  ending.push(() => bus.close());
  return bus;
}

async function startNode(name: string, servers: readonly string[]): Promise<Node> {
  const bus = await open(name, servers);
  const called: unknown[] = [];
  const serverNamed = (server: string) =>
    new ScriptedSource({ name: server, place: name, tools: 0, tell: (_event, { mark }) => void called.push(mark) });
  const sources = [serverNamed('files'), { source: serverNamed('jobs'), placement: 'singleton' as const }];
  const fleet = createFleet({ bus, node: name, heartbeatMs: HEARTBEAT_MS, sources });
  fleet.events.on('singleton-state', ({ holder }) => {
    if (holder === name) holding.add(name);
    else holding.delete(name);
    mostHolding = Math.max(mostHolding, holding.size);
  });
  ending.push(() => fleet.close());
  await fleet.whenJoined();
  return { name, bus, fleet, called };
}

async function untilAllMet(): Promise<void> {
  for (const { name, fleet } of nodes) {
    await untilPhase(fleet, 'joined');
    await until(fleet, () => fleet.status().nodes.filter(({ state }) => state === 'alive').length === NODES.length);
    for (const other of NODES.filter((one) => one !== name)) await sourceOf(fleet, `files@${other}`);
    await until(fleet, () => fleet.status().singletons.some(({ holder }) => holder !== undefined));
  }
}

async function call(from: Node, server: string, tool: string, mark?: string): Promise<unknown> {
  const { content } = await (await sourceOf(from.fleet, server)).callTool(tool, { mark }, {});
  return content[0]?.text;
}

/** What JetStream itself says of the bucket. */
async function askServers(urls: readonly string[], subject: string) {
  const raw = await connectRaw({ servers: Array.from(urls), reconnect: false });
  try {
    return (await raw.request(`$JS.API.${subject}`, '{}', { timeout: PATIENT_MS })).json<{
      readonly cluster: { readonly leader: string; readonly replicas: readonly unknown[] };
      readonly consumers: readonly { readonly cluster: { readonly leader: string } }[];
    }>();
  } finally {
    await raw.close();
  }
}

/** As soon as there is one. */
async function leaderNow(urls: readonly string[]): Promise<NatsMember> {
  for (;;) {
    const { cluster: group } = await askServers(urls, 'STREAM.INFO.KV_mcp-fleet_default');
    const found = cluster.members.find(({ name }) => name === group.leader);
    if (found !== undefined) return found;
  }
}

/** A watch of that node with its consumer on the given server, regardless of the node's connection. */
async function watchToldBy(teller: NatsMember, bus: FleetBus) {
  for (;;) {
    const before = await toldBy(teller);
    const watch = watched(bus);
    await watch.opened;
    if ((await toldBy(teller)) > before) return watch;
    watch.stop();
  }
}

async function toldBy({ name }: NatsMember): Promise<number> {
  const { consumers } = await askServers(cluster.urls, 'CONSUMER.LIST.KV_mcp-fleet_default');
  return consumers.filter(({ cluster: group }) => group.leader === name).length;
}

describe('on a cluster of three nats-servers', () => {
  test('the bucket is kept by all three, and nodes on different ones see and call one another', async () => {
    const { cluster: group } = await askServers(cluster.urls, 'STREAM.INFO.KV_mcp-fleet_default');
    expect(group.replicas).toHaveLength(2);
    const holder = await agreedHolder();
    for (const from of nodes) {
      for (const other of NODES.filter((name) => name !== from.name)) {
        expect(await call(from, `files@${other}`, 'who')).toBe(other);
      }
      expect(await call(from, 'jobs', 'who')).toBe(holder);
    }
  });

  test('the one that leads is lost: writes wait for the next, what is compared is the newest, watches go on, no call is made twice', async () => {
    const [a, b, c] = nodes;
    const [impatient, patient, rival] = await Promise.all([
      open('impatient', [followers[0].url], { requestTimeoutMs: 1000 }),
      // Its connection is alive, so pings succeed.
      open('patient', [followers[0].url], { requestTimeoutMs: PATIENT_MS, pingIntervalMs: 60_000 }),
      open('rival', [followers[1].url], { requestTimeoutMs: PATIENT_MS }),
    ]);
    const revision = await patient.bucket.put('singleton.prize', bytes('nobody'));
    const watch = await watchToldBy(leader, patient);
    const [onLost, onOther] = [call(b, 'files@a', 'hang', 'on a'), call(b, 'files@c', 'hang', 'on c')].map((made) =>
      made.catch((error) => error),
    );
    await untilHolds(() => a.called.includes('on a') && c.called.includes('on c'));
    // Messages of one node come in order: what it said of the call before is known, too.
    expect(await Promise.all([call(b, 'files@a', 'who'), call(b, 'files@c', 'who')])).toEqual(['a', 'c']);
    const filesOfLost = await sourceOf(b.fleet, 'files@a');
    const down = eventOf(a.bus, 'disconnected');
    toFollower.cut();
    await leader.kill();
    await down;

    expect(await call(a, 'files', 'who')).toBe('a');
    expect(await call(b, 'files@c', 'who')).toBe('c');
    await untilUnheard(followers[0], callSubject('a', 'files', 'b'));
    await expect(filesOfLost.callTool('who', {}, {})).rejects.toMatchObject({ code: 'node-unreachable' });
    toFollower.heal();
    await expect(impatient.bucket.put('singleton.prize', bytes('impatient'))).rejects.toMatchObject({
      code: 'bus-down',
      retryable: true,
    });
    await patient.bucket.put('singleton.prize', bytes('first'), { revision });
    await expect(rival.bucket.put('singleton.prize', bytes('second'), { revision })).rejects.toMatchObject({
      code: 'conflict',
    });
    await watch.until('singleton.prize=first');

    expect(await onLost).toMatchObject({ code: 'outcome-unknown' });
    expect(await onOther).toMatchObject({ code: 'outcome-unknown' });
    await untilAllMet();
    expect(await call(c, 'files@a', 'who')).toBe('a');
    expect([a, c].map(({ called }) => called.filter((mark) => mark !== undefined))).toEqual([['on a'], ['on c']]);
    expect(mostHolding).toBe(1);
  });

  test('two of three are lost: nodes go on alone and report it, and get a new report when one is back', async () => {
    const left = await leaderNow(followers.map(({ url }) => url));
    const lost = followers.find((member) => member !== left) as NatsMember;
    const impatient = await open('left', [left.url], { requestTimeoutMs: 1000 });
    await lost.kill();
    await Promise.all(
      nodes.map(async ({ fleet }) => {
        await untilPhase(fleet, 'cut-off');
        await until(fleet, () => fleet.status().nodes.every(({ isOwn, state }) => isOwn || state === 'unreachable'));
      }),
    );
    for (const node of nodes) {
      expect(await call(node, 'files', 'who')).toBe(node.name);
    }
    expect(holding.size).toBe(0);
    await expect(impatient.bucket.put('singleton.prize', bytes('2'))).rejects.toMatchObject({ code: 'bus-down' });

    await lost.restart();
    await untilAllMet();
    for (const from of nodes) {
      for (const other of NODES.filter((name) => name !== from.name)) {
        expect(await call(from, `files@${other}`, 'who')).toBe(other);
      }
    }
    await impatient.bucket.put('singleton.prize', bytes('3'));
    expect(mostHolding).toBe(1);
  });
});

/** The node that runs `jobs`, once all nodes name the same one. */
async function agreedHolder(): Promise<string | undefined> {
  const holders = () => new Set(nodes.map(({ fleet }) => fleet.status().singletons[0]?.holder));
  await untilHolds(() => holders().size === 1 && !holders().has(undefined));
  return holders().values().next().value;
}

/** Looked at again with each turn of the event loop. */
async function untilHolds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Settles when that nats-server knows no subscriber of the subject: it hears of a lost one after the node itself. */
async function untilUnheard({ url }: NatsMember, subject: string): Promise<void> {
  const raw = await connectRaw({ servers: url, reconnect: false });
  try {
    for (let isHeard = true; isHeard; ) {
      const failure = await raw.request(`mcp-fleet.default.${subject}`, '', { timeout: 1000 }).catch((error) => error);
      isHeard = !(failure instanceof RequestError && failure.isNoResponders());
    }
  } finally {
    await raw.close();
  }
}
