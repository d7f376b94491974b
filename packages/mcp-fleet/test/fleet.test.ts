import type { SourceTool } from '@x/internal/contracts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFleet, type Fleet } from '../src/fleet.js';
import { createMemoryBroker, type MemoryBroker } from '../src/memory/broker.js';
import type { MemoryBus } from '../src/memory/memory-bus.js';
import type { FleetOptions } from '../src/options.js';
import { ChangingSource, restingSource, tool } from './helpers/offered.js';
import { sourceOf, until, untilTools } from './helpers/until.js';

/** Long enough for leases to hold on a machine that is busy; tests that wait for the end of one wait three of these. */
const HEARTBEAT_MS = 500;

function join(
  broker: MemoryBroker,
  node: string,
  options: Partial<FleetOptions> = {},
): { readonly fleet: Fleet; readonly bus: MemoryBus } {
  const bus = broker.connect({ node });
  const fleet = createFleet({ bus, node, heartbeatMs: HEARTBEAT_MS, ...options });
  onTestFinished(async () => {
    await fleet.close();
    await bus.close();
  });
  return { fleet, bus };
}

const names = (fleet: Fleet) => fleet.sources().map(({ name }) => name);
const text = (result: { readonly content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe('a fleet', () => {
  test('offers the servers of each node on every other, and calls them there', async () => {
    const broker = createMemoryBroker();
    const files = new ChangingSource('files', [tool('read'), tool('write')], 'files of a');
    const { fleet: a } = join(broker, 'a', { sources: [files] });
    const { fleet: b } = join(broker, 'b', { sources: [new ChangingSource('git', [tool('log')])] });
    await Promise.all([a.whenJoined(), b.whenJoined()]);
    const remote = await sourceOf(b, 'files@a');
    await sourceOf(a, 'git@b');
    expect(names(a)).toEqual(['files', 'git@b']);
    expect(names(b)).toEqual(['files@a', 'git']);
    expect(remote.state).toBe('running');
    expect(await remote.listTools({})).toEqual(files.listTools());
    const result = await remote.callTool('read', { path: 'x' }, { caller: { role: 'review' } });
    expect(text(result)).toBe('files of a ran read');
    expect(files.calls).toEqual([{ name: 'read', args: { path: 'x' }, caller: { role: 'review' } }]);
  });

  test('notifies every node when the tools or the state of a server change', async () => {
    const broker = createMemoryBroker();
    const files = new ChangingSource('files', [tool('read')]);
    join(broker, 'a', { sources: [files] });
    const { fleet: b } = join(broker, 'b');
    const remote = await sourceOf(b, 'files@a');
    await untilTools(remote, (tools) => tools.includes('read'));
    files.change([tool('read'), tool('write')]);
    await untilTools(remote, (tools) => tools.length === 2);
    const announced = new Promise<void>((resolve) => {
      const subscription = remote.onToolsChanged?.(() => resolve());
      onTestFinished(() => subscription?.[Symbol.dispose]());
    });
    files.state = 'degraded';
    files.change();
    await announced;
    expect(remote.state).toBe('degraded');
  });

  test.each([
    ['a new tool', (tools: readonly SourceTool[]) => [...tools, tool('new')]],
    [
      'all tools of a server when they change',
      (tools: readonly SourceTool[]) => [...tools.map(({ name }) => tool(name, 'y'.repeat(1_000))), tool('new')],
    ],
  ])('knows %s on every node without asking', async (_what, change) => {
    const broker = createMemoryBroker();
    const tools = Array.from({ length: 50 }, (_, index) => tool(`tool_${index}`, 'x'.repeat(400)));
    const many = new ChangingSource('many', tools);
    join(broker, 'a', { sources: [many] });
    const { fleet: b } = join(broker, 'b');
    const remote = await sourceOf(b, 'many@a');
    await untilTools(remote, (offered) => offered.length === 50);
    const asked: string[] = [];
    broker.connect().subscribe('define.>', ({ subject }) => asked.push(subject));
    many.change(change(tools));
    await untilTools(remote, (offered) => offered.includes('new'));
    expect(asked).toEqual([]);
    expect(await remote.listTools({})).toEqual(change(tools));
  });

  test('fetches a long list of tools like their definitions', async () => {
    const broker = createMemoryBroker({ maxPayloadBytes: 64 * 1024 });
    const tools = Array.from({ length: 3_000 }, (_, index) => tool(`tool_${index}`, 'x'.repeat(200)));
    join(broker, 'a', { sources: [new ChangingSource('many', tools)] });
    const { fleet: b } = join(broker, 'b');
    const remote = await sourceOf(b, 'many@a');
    await untilTools(remote, (offered) => offered.length === 3_000);
    expect(await remote.listTools({})).toEqual(tools);
  });

  test('removes a server that its node no longer offers, and all servers of a node that leaves', async () => {
    const broker = createMemoryBroker();
    const { fleet: a } = join(broker, 'a', {
      sources: [new ChangingSource('files', [tool('read')]), new ChangingSource('git', [tool('log')])],
    });
    const { fleet: b } = join(broker, 'b');
    await sourceOf(b, 'files@a');
    await sourceOf(b, 'git@a');
    await a.remove('files');
    await until(b, () => !names(b).includes('files@a'));
    a.add({ source: new ChangingSource('web', [tool('get')]), placement: 'pinned' });
    await sourceOf(b, 'web@a');
    await a.close();
    await until(b, () => names(b).length === 0);
    expect(b.status().nodes.map(({ node }) => node)).toEqual(['b']);
  });

  test('does not offer local servers', async () => {
    const broker = createMemoryBroker();
    const secrets = { source: new ChangingSource('secrets', [tool('read')]), placement: 'local' } as const;
    const { fleet: a } = join(broker, 'a', { sources: [secrets, new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b');
    await sourceOf(b, 'files@a');
    expect(names(a)).toEqual(['files', 'secrets']);
    expect(names(b)).toEqual(['files@a']);
  });

  test('lets the owner authorize with the principal of the call', async () => {
    const broker = createMemoryBroker();
    const asked: unknown[] = [];
    join(broker, 'a', {
      sources: [new ChangingSource('files', [tool('read'), tool('write')])],
      authorize: (principal, call) => {
        asked.push({ principal, call });
        return call.tool === 'read';
      },
    });
    const { fleet: b } = join(broker, 'b');
    const remote = await sourceOf(b, 'files@a');
    const caller = { role: 'review', principal: 'ann' };
    await expect(remote.callTool('read', {}, { caller })).resolves.toBeDefined();
    await expect(remote.callTool('write', {}, { caller })).rejects.toMatchObject({ code: 'refused' });
    expect(asked).toMatchObject([
      { principal: { node: 'b', ...caller }, call: { server: 'files', tool: 'read' } },
      { principal: { node: 'b', ...caller }, call: { server: 'files', tool: 'write' } },
    ]);
  });

  test('shares a bus within the process by default', async () => {
    await using a = createFleet({ node: 'a', sources: [new ChangingSource('files', [tool('read')])] });
    await using b = createFleet({ node: 'b' });
    await a.whenJoined();
    const remote = await sourceOf(b, 'files@a');
    expect(text(await remote.callTool('read', {}, {}))).toBe('files ran read');
  });
});

describe('a node', () => {
  test('that is cut off is unreachable after three heartbeats, and has all its servers when it is back', async () => {
    const broker = createMemoryBroker();
    const { fleet: a, bus } = join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b');
    const remote = await sourceOf(b, 'files@a');
    await untilTools(remote, (tools) => tools.length === 1);
    bus.disconnect();
    await until(b, () => remote.state === 'unreachable');
    expect(await remote.listTools({})).toEqual([]);
    await expect(remote.callTool('read', {}, {})).rejects.toMatchObject({ code: 'node-unreachable', retryable: true });
    expect(b.status().nodes).toMatchObject([{ node: 'b' }, { node: 'a', state: 'unreachable' }]);
    expect(a.status().phase).toBe('cut-off');
    expect(names(a)).toEqual(['files']);
    bus.reconnect();
    await untilTools(remote, (tools) => tools.length === 1);
    expect(text(await remote.callTool('read', {}, {}))).toBe('files ran read');
  });

  test('without a bus has its own servers, and joins when the bus is reachable', async () => {
    const broker = createMemoryBroker();
    broker.stop();
    const { fleet: a } = join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b');
    expect(names(a)).toEqual(['files']);
    expect(a.status()).toMatchObject({ phase: 'joining', isBusConnected: false });
    broker.start();
    await sourceOf(b, 'files@a');
    expect(a.status().phase).toBe('joined');
  });

  test('publishes everything again when the bus has lost its keys', async () => {
    const broker = createMemoryBroker();
    join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b');
    await sourceOf(b, 'files@a');
    broker.stop();
    broker.start({ keys: 'lost' });
    await until(b, () => !names(b).includes('files@a'));
    await sourceOf(b, 'files@a');
  });

  test('cannot take the name of one that is alive', async () => {
    const broker = createMemoryBroker();
    const { fleet: a } = join(broker, 'a');
    await a.whenJoined();
    const { fleet: clone } = join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    await expect(clone.whenJoined()).rejects.toMatchObject({ code: 'node-taken', node: 'a' });
    expect(clone.status()).toMatchObject({ phase: 'failed', error: { code: 'node-taken' } });
    expect(names(clone)).toEqual(['files']);
    expect(a.status().phase).toBe('joined');
  });

  test('whose name was taken while it was cut off is superseded', async () => {
    const broker = createMemoryBroker();
    const { fleet: first, bus } = join(broker, 'a', { sources: [new ChangingSource('old', [tool('read')])] });
    await first.whenJoined();
    bus.disconnect();
    const { fleet: second } = join(broker, 'a', { sources: [new ChangingSource('new', [tool('read')])] });
    await second.whenJoined();
    bus.reconnect();
    await until(first, () => first.status().phase === 'failed');
    expect(first.status().error?.code).toBe('superseded');
    const { fleet: b } = join(broker, 'b');
    await sourceOf(b, 'new@a');
    expect(names(b)).toEqual(['new@a']);
  });

  test('names invalid options', () => {
    expect(() => createFleet({ node: 'a b' })).toThrow(
      'node must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got "a b"',
    );
    expect(() => createFleet({ node: 'a', heartbeatMs: 1 })).toThrow('heartbeatMs must be a whole number of');
    expect(() => createFleet({ node: 'a', placement: 'everywhere' as 'local' })).toThrow('placement must be one of');
    expect(() => createFleet({ node: 'a', sources: [{} as ChangingSource] })).toThrow('sources must be objects');
  });
});

describe('a singleton', () => {
  const jobs = (mark: string) => restingSource('jobs', [tool('run')], mark);

  test('runs on one of its nodes, and is called there from all', async () => {
    const broker = createMemoryBroker();
    const sources = { a: jobs('a'), b: jobs('b') };
    const { fleet: a } = join(broker, 'a', { sources: [sources.a], placement: 'singleton' });
    const { fleet: b } = join(broker, 'b', { sources: [sources.b], placement: 'singleton' });
    const { fleet: c } = join(broker, 'c');
    const fleets = [a, b, c];
    const holder = (fleet: Fleet) => fleet.status().singletons[0]?.holder;
    await Promise.all(fleets.map((fleet) => until(fleet, () => holder(fleet) !== undefined)));
    const [first] = fleets.map(holder);
    for (const fleet of fleets) {
      const source = await sourceOf(fleet, fleet === c ? 'jobs@fleet' : 'jobs');
      await untilTools(source, (tools) => tools.length === 1);
      expect(text(await source.callTool('run', {}, {}))).toBe(`${first} ran run`);
    }
  });

  test('is stopped on a node that loses the bus before another one runs it', async () => {
    const broker = createMemoryBroker();
    const sources = { a: jobs('a'), b: jobs('b') };
    const { fleet: a, bus } = join(broker, 'a', { sources: [sources.a], placement: 'singleton' });
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    const { fleet: b } = join(broker, 'b', { sources: [sources.b], placement: 'singleton' });
    await until(b, () => b.status().singletons[0]?.holder === 'a');
    let stopsAtTakeover: number | undefined;
    b.events.on('singleton-state', ({ holder }) => {
      if (holder === 'b') stopsAtTakeover = sources.a.stops;
    });
    bus.disconnect();
    await until(b, () => b.status().singletons[0]?.holder === 'b');
    expect(stopsAtTakeover).toBe(1);
    bus.reconnect();
    await until(a, () => a.status().singletons[0]?.holder === 'b');
    expect(text(await (await sourceOf(a, 'jobs')).callTool('run', {}, {}))).toBe('b ran run');
  });

  test('moves to another node at once when its node leaves', async () => {
    const broker = createMemoryBroker();
    const mine = jobs('a');
    const { fleet: a } = join(broker, 'a', { sources: [mine], placement: 'singleton' });
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    const { fleet: b } = join(broker, 'b', { sources: [jobs('b')], placement: 'singleton', heartbeatMs: 60_000 });
    await b.whenJoined();
    await a.close();
    await until(b, () => b.status().singletons[0]?.holder === 'b');
    expect(mine.stops).toBe(1);
  });
});

describe('a replicated server', () => {
  test('is called on this node, and on another one if this node lacks it', async () => {
    const broker = createMemoryBroker();
    const search = (mark: string) => new ChangingSource('search', [tool('find')], mark);
    const { fleet: a } = join(broker, 'a', { sources: [search('a')], placement: 'replicated' });
    const { fleet: b, bus } = join(broker, 'b', { sources: [search('b')], placement: 'replicated' });
    const { fleet: c } = join(broker, 'c');
    const shared = await sourceOf(c, 'search@fleet');
    await until(c, () => c.status().nodes.length === 3);
    await Promise.all([a.whenJoined(), b.whenJoined()]);
    expect(text(await (await sourceOf(a, 'search')).callTool('find', {}, {}))).toBe('a ran find');
    expect(text(await (await sourceOf(b, 'search')).callTool('find', {}, {}))).toBe('b ran find');
    await a.close();
    await until(c, () => c.status().nodes.length === 2);
    expect(text(await shared.callTool('find', {}, {}))).toBe('b ran find');
    bus.disconnect();
    await until(c, () => shared.state === 'unreachable');
    await expect(shared.callTool('find', {}, {})).rejects.toMatchObject({ code: 'node-unreachable' });
  });
});
