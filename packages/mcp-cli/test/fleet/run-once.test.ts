// The libraries as an app joins them, without mcpx: what the fleet runs once is a server of a client manager.
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { createFleet, type Fleet, type FleetEvents } from '@x/mcp-fleet';
import { createMemoryBroker, type MemoryBroker } from '@x/mcp-fleet/memory';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
  await expectNoLeaks();
});

interface Node {
  readonly fleet: Fleet;
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly problems: string[];
  /** How often a process of the server was begun with here. */
  readonly starts: () => number;
}

function join(broker: MemoryBroker, name: string, { autoStart }: { readonly autoStart: boolean }): Node {
  const manager = createClientManager({ servers: [{ name: 'clock', ...testServer('echo'), autoStart }] });
  const registry = createRegistry();
  let starts = 0;
  manager.events.on('server-state', ({ previous, state }) => {
    if (previous.phase !== 'starting' && state.phase === 'starting') starts += 1;
  });
  const bus = broker.connect({ node: name });
  const sources = manager.servers().map((source) => ({ source, placement: 'singleton' as const }));
  const fleet = createFleet({ bus, node: name, heartbeatMs: 500, sources });
  const problems: string[] = [];
  fleet.events.on('problem', ({ message }) => problems.push(message));
  fleet.attachTo(registry);
  ending.push(async () => {
    await fleet.close();
    await bus.close();
    await registry.close();
    await manager.close();
  });
  return { fleet, manager, registry, problems, starts: () => starts };
}

/** Waits until it holds; looked at with each event of the fleet that may have changed it. */
function until({ fleet, manager }: Node, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const names: readonly (keyof FleetEvents)[] = ['joined', 'node-state', 'singleton-state', 'problem'];
    const look = () => {
      if (!holds()) return;
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      resolve();
    };
    const subscriptions = [
      ...names.map((name) => fleet.events.on(name, look)),
      manager.events.on('server-state', look),
    ];
    look();
  });
}

const holderOf = ({ fleet }: Node) => fleet.status().singletons[0]?.holder;
const stateOf = ({ manager }: Node) => manager.server('clock').state;

/** The tool's public name, as soon as the node's registry has it. */
async function toolOf({ registry }: Node, tool: string): Promise<string> {
  const find = () => registry.list().find((view) => view.server === 'clock' && view.tool === tool)?.name;
  const changes = registry.changes()[Symbol.asyncIterator]();
  for (;;) {
    const name = find();
    if (name !== undefined) return name;
    if ((await changes.next()).done) throw new Error(`The registry was closed, and never had ${tool}`);
  }
}

async function pidFrom(node: Node): Promise<string> {
  return JSON.stringify((await node.registry.call(await toolOf(node, 'pid'))).content);
}

test.each([{ autoStart: false }, { autoStart: true }])(
  'what three nodes run once is one process, known and called everywhere, and moves when its node leaves: %o',
  async (options) => {
    const broker = createMemoryBroker();
    const nodes = ['a', 'b', 'c'].map((name) => join(broker, name, options));
    await Promise.all(nodes.map((node) => until(node, () => holderOf(node) !== undefined)));
    const holder = nodes.find((node) => node.fleet.node === holderOf(node)) as Node;
    const others = nodes.filter((node) => node !== holder);
    await until(holder, () => stateOf(holder) === 'running');
    const pid = await pidFrom(holder);
    for (const other of others) expect(await pidFrom(other)).toBe(pid);
    expect(others.map((other) => [stateOf(other), other.starts()])).toEqual([
      ['stopped', 0],
      ['stopped', 0],
    ]);

    await holder.fleet.close();
    expect(stateOf(holder)).toBe('stopped');
    await Promise.all(others.map((node) => until(node, () => holderOf(node) !== undefined)));
    const next = others.find((node) => node.fleet.node === holderOf(node)) as Node;
    await until(next, () => stateOf(next) === 'running');
    const nextPid = await pidFrom(next);
    expect(nextPid).not.toBe(pid);
    for (const other of others) expect(await pidFrom(other)).toBe(nextPid);
    expect(nodes.map((node) => node.starts()).toSorted()).toEqual([0, 1, 1]);
    expect(nodes.flatMap(({ problems }) => problems)).toEqual([]);
  },
);

test('a singleton that is started on the wrong host is stopped and reported', async () => {
  const broker = createMemoryBroker();
  const holder = join(broker, 'a', { autoStart: true });
  await until(holder, () => stateOf(holder) === 'running');
  const other = join(broker, 'b', { autoStart: true });
  await until(other, () => holderOf(other) === 'a');
  expect(await other.manager.start()).toMatchObject([{ status: 'failed', error: { code: 'server-stopping' } }]);
  await until(other, () => stateOf(other) === 'stopped');
  expect(other.problems).toEqual([
    '"clock" was started here, though the fleet runs it once and not on this node; it is stopped',
  ]);
  expect(await pidFrom(other)).toBe(await pidFrom(holder));
});

test('a running singleton stops before its owner is known', async () => {
  const broker = createMemoryBroker();
  const holder = join(broker, 'a', { autoStart: true });
  await until(holder, () => stateOf(holder) === 'running');
  const manager = createClientManager({ servers: [{ name: 'clock', ...testServer('echo') }] });
  await manager.start();
  const bus = broker.connect({ node: 'b' });
  const fleet = createFleet({ bus, node: 'b', sources: manager.servers(), placement: 'singleton' });
  ending.push(async () => {
    await fleet.close();
    await bus.close();
    await manager.close();
  });
  const other = { ...holder, fleet, manager };
  await until(other, () => stateOf(other) === 'stopped');
  expect(manager.server('clock').status.pid).toBeUndefined();
});

test('a singleton that was stopped on its owner starts again with the next call from any node', async () => {
  const broker = createMemoryBroker();
  const holder = join(broker, 'a', { autoStart: false });
  await until(holder, () => stateOf(holder) === 'running');
  const other = join(broker, 'b', { autoStart: false });
  const pid = await pidFrom(other);
  await holder.manager.server('clock').stop();
  // Its tools are not listed meanwhile: a server that may not start by itself has none.
  const source = other.fleet.sources().find(({ name }) => name === 'clock');
  const nextPid = JSON.stringify((await source?.callTool('pid', {}, {}))?.content);
  expect(await pidFrom(other)).toBe(nextPid);
  expect(nextPid).not.toBe(pid);
  expect(await pidFrom(holder)).toBe(nextPid);
  expect(other.starts()).toBe(0);
});
