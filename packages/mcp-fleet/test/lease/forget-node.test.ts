import { expect, onTestFinished, test } from 'vitest';
import { nodePermissions } from '../../src/bus/fleet-subjects.js';
import { createFleet, type Fleet } from '../../src/fleet.js';
import { forgetNode, planForget } from '../../src/lease/forget-node.js';
import { createMemoryBroker, type MemoryBroker } from '../../src/memory/broker.js';
import type { MemoryConnectOptions } from '../../src/memory/memory-bus.js';
import type { FleetOptions } from '../../src/options.js';
import { ChangingSource, tool } from '../helpers/offered.js';
import { sourceOf, until, untilTools } from '../helpers/until.js';

const HEARTBEAT_MS = 500;
/** Of a node that is to be lost soon. */
const SHORT_HEARTBEAT_MS = 100;

function join(broker: MemoryBroker, node: string, options: Partial<FleetOptions> = {}) {
  const bus = connect(broker, { node });
  const fleet = createFleet({ bus, node, heartbeatMs: HEARTBEAT_MS, ...options });
  onTestFinished(() => fleet.close());
  return { fleet, bus };
}

function connect(broker: MemoryBroker, options?: MemoryConnectOptions) {
  const bus = broker.connect(options);
  onTestFinished(() => bus.close());
  return bus;
}

const nodes = (fleet: Fleet) => fleet.status().nodes.map(({ node }) => node);

/** The node `lost`, with a server of its own and one that it runs for all, and `other`, which has seen it go. */
async function lostNode(broker: MemoryBroker) {
  const files = new ChangingSource('files', [tool('read')]);
  const jobs = { source: new ChangingSource('jobs', [tool('run')]), placement: 'singleton' } as const;
  const lost = join(broker, 'lost', { heartbeatMs: SHORT_HEARTBEAT_MS, sources: [files, jobs] });
  await until(lost.fleet, () => lost.fleet.status().singletons[0]?.holder === 'lost');
  const { fleet: other } = join(broker, 'other');
  const remote = await sourceOf(other, 'files@lost');
  await untilTools(remote, (tools) => tools.length === 1);
  await sourceOf(other, 'jobs@fleet');
  lost.bus.disconnect();
  await until(other, () => remote.state === 'unreachable');
  return { lost, other };
}

test('no node knows a forgotten node or its singletons', async () => {
  const broker = createMemoryBroker();
  const { other } = await lostNode(broker);
  expect(nodes(other)).toEqual(['other', 'lost']);
  const bus = connect(broker);
  const plan = await planForget({ bus, node: 'lost' });
  expect(plan).toMatchObject({
    node: 'lost',
    heardAtMs: expect.any(Number),
    servers: ['files', 'jobs'],
    singletons: ['jobs'],
  });
  expect(plan.keys.map(({ key }) => key)).toEqual([
    'lease.lost',
    'singleton.jobs',
    'server.lost.files',
    'server.lost.jobs',
  ]);

  await forgetNode({ bus, plan });
  await until(other, () => nodes(other).length === 1 && other.sources().length === 0);
  expect(other.status().singletons).toEqual([]);
  expect((await planForget({ bus, node: 'lost' })).keys).toEqual([]);
});

test('a forgotten node that comes back has all its servers again', async () => {
  const broker = createMemoryBroker();
  const { lost, other } = await lostNode(broker);
  const bus = connect(broker);
  await forgetNode({ bus, plan: await planForget({ bus, node: 'lost' }) });
  await until(other, () => nodes(other).length === 1);
  lost.bus.reconnect();
  const remote = await sourceOf(other, 'files@lost');
  await untilTools(remote, (tools) => tools.length === 1);
  expect(await remote.callTool('read', {}, {})).toMatchObject({ content: [{ text: 'files ran read' }] });
  await until(other, () => other.status().singletons[0]?.holder === 'lost');
  expect(lost.fleet.status().phase).toBe('joined');
});

test('a live node is not forgotten, and the error has the time of its last heartbeat', async () => {
  const broker = createMemoryBroker();
  const { fleet } = join(broker, 'here', { sources: [new ChangingSource('files', [tool('read')])] });
  await fleet.whenJoined();
  const bus = connect(broker);
  const waits: number[] = [];
  const failure = await planForget({ bus, node: 'here', onWait: (longestMs) => waits.push(longestMs) }).catch(
    (error) => error,
  );
  expect(failure).toMatchObject({ code: 'node-alive', node: 'here', retryable: false });
  expect(failure.message).toMatch(/^The node "here" is alive: it was heard of at \d{4}-.*Z, by the clock of the bus/);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeLessThanOrEqual(3 * HEARTBEAT_MS);
});

test('a node that sends a heartbeat after the plan keeps everything', async () => {
  const broker = createMemoryBroker();
  const { lost, other } = await lostNode(broker);
  const bus = connect(broker);
  const plan = await planForget({ bus, node: 'lost' });
  lost.bus.reconnect();
  await until(other, () => other.status().nodes[1]?.state === 'alive');
  await expect(forgetNode({ bus, plan })).rejects.toMatchObject({ code: 'node-alive', node: 'lost' });
  for (const { key } of plan.keys) expect(await bus.bucket.get(key), key).toBeDefined();
});

test('a node that comes back during the deletion keeps its new records and its singletons', async () => {
  const broker = createMemoryBroker();
  const { lost, other } = await lostNode(broker);
  const bus = connect(broker);
  const { keys, ...plan } = await planForget({ bus, node: 'lost' });
  const [lease, ...rest] = keys;
  await forgetNode({ bus, plan: { ...plan, keys: lease ? [lease] : [] } });
  lost.bus.reconnect();
  await until(other, () => other.status().singletons[0]?.holder === 'lost' && other.sources().length === 2);
  for (const one of rest) {
    await expect(forgetNode({ bus, plan: { ...plan, keys: [one] } })).rejects.toMatchObject({ code: 'node-alive' });
    expect(await bus.bucket.get(one.key), one.key).toBeDefined();
  }
});

test('records that were deleted or taken over meanwhile do not fail the deletion', async () => {
  const broker = createMemoryBroker();
  const { other } = await lostNode(broker);
  const bus = connect(broker);
  const plan = await planForget({ bus, node: 'lost' });
  other.add({ source: new ChangingSource('jobs', [tool('run')]), placement: 'singleton' });
  await until(other, () => other.status().singletons[0]?.holder === 'other');
  await forgetNode({ bus, plan });
  await forgetNode({ bus, plan });
  await until(other, () => nodes(other).length === 1);
  expect(other.status().singletons).toEqual([{ server: 'jobs', holder: 'other' }]);
});

test('the plan for an unknown node is empty', async () => {
  const bus = connect(createMemoryBroker());
  expect(await planForget({ bus, node: 'nobody' })).toEqual({
    node: 'nobody',
    heardAtMs: undefined,
    servers: [],
    singletons: [],
    keys: [],
  });
  await expect(planForget({ bus, node: 'no body' })).rejects.toThrow(TypeError);
});

test('a node may not delete the records of another, and the error names the permissions', async () => {
  const broker = createMemoryBroker();
  await lostNode(broker);
  const bus = connect(broker, { node: 'third', permissions: nodePermissions('third') });
  const plan = await planForget({ bus, node: 'lost' });
  const failure = await forgetNode({ bus, plan }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'forbidden', node: 'lost' });
  expect(failure.message).toContain('a login that may write lease.lost, server.lost.> and singleton.>');
  expect(await bus.bucket.get('lease.lost')).toBeDefined();
});

test('a lost bus or an abort fails the plan', async () => {
  const broker = createMemoryBroker();
  const { fleet } = join(broker, 'here', { heartbeatMs: 60_000 });
  await fleet.whenJoined();
  for (const [end, failure] of [
    ['disconnect', { code: 'bus-down' }],
    ['close', { code: 'closed' }],
  ] as const) {
    const bus = connect(broker);
    const waiting = new Promise<void>((resolve) => {
      planForget({ bus, node: 'here', onWait: () => resolve() }).catch(() => undefined);
    });
    const planned = planForget({ bus, node: 'here' });
    await waiting;
    void bus[end]();
    await expect(planned).rejects.toMatchObject(failure);
  }
  const enough = new AbortController();
  const planned = planForget({
    bus: connect(broker),
    node: 'here',
    onWait: () => enough.abort(new Error('enough')),
    signal: enough.signal,
  });
  await expect(planned).rejects.toThrow('enough');
});
