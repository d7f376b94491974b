import { describe, expect, onTestFinished, test } from 'vitest';
import { createFleet, type Fleet } from '../src/fleet.js';
import { createMemoryBroker, type MemoryBroker } from '../src/memory/broker.js';
import type { FleetOptions } from '../src/options.js';
import type { FleetSource } from '../src/source.js';
import { ChangingSource, restingSource, tool } from './helpers/offered.js';
import { sourceOf, until } from './helpers/until.js';

const HEARTBEAT_MS = 500;

function join(broker: MemoryBroker, node: string, options: Partial<FleetOptions> = {}) {
  const bus = broker.connect({ node });
  const fleet = createFleet({ bus, node, heartbeatMs: HEARTBEAT_MS, ...options });
  onTestFinished(async () => {
    await fleet.close().catch(() => undefined);
    await bus.close();
  });
  return { fleet, bus };
}

const names = (fleet: Fleet) => fleet.sources().map(({ name }) => name);

describe('a node that leaves', () => {
  test('may leave before it has a key, and twice', async () => {
    const broker = createMemoryBroker();
    const { fleet } = join(broker, 'a');
    const joined = fleet.whenJoined();
    const [first, second] = [fleet.close(), fleet.close()];
    expect(first).toBe(second);
    await expect(joined).rejects.toMatchObject({ code: 'closed' });
    await first;
    expect(fleet.status().phase).toBe('left');
    expect(() => fleet.add(new ChangingSource('files', []))).toThrow('has left the fleet');
    await expect(fleet.whenJoined()).rejects.toMatchObject({ code: 'closed' });
  });

  test('deletes all its records', async () => {
    const broker = createMemoryBroker();
    const sources = [restingSource('files', [tool('read')]), restingSource('git', [tool('log')])];
    const { fleet: a } = join(broker, 'a', { sources, placement: 'singleton' });
    await until(a, () => a.status().singletons.every(({ holder }) => holder === 'a'));
    await a.close();
    const keys: string[] = [];
    const watcher = { onStart: () => undefined, onCurrent: () => undefined };
    await broker.connect().bucket.watch({ ...watcher, onEntry: ({ key }) => void keys.push(key) });
    expect(keys).toEqual([]);
    expect(sources.map(({ stops }) => stops)).toEqual([1, 1]);
  });

  test('removes the sources of other nodes, also from a registry', async () => {
    const broker = createMemoryBroker();
    join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b', { sources: [new ChangingSource('git', [tool('log')])] });
    const attached = new Set<FleetSource>();
    const registry = {
      attach(source: FleetSource) {
        attached.add(source);
        return { [Symbol.dispose]: () => void attached.delete(source) };
      },
    };
    using _attachment = b.attachTo(registry);
    await sourceOf(b, 'files@a');
    expect(Array.from(attached, ({ name }) => name).toSorted()).toEqual(['files@a', 'git']);
    await b.close();
    expect(names(b)).toEqual(['git']);
    expect(Array.from(attached, ({ name }) => name)).toEqual(['git']);
  });

  test('leaves even if a singleton does not stop, and reports that', async () => {
    const broker = createMemoryBroker();
    const jobs = restingSource('jobs', [tool('run')]);
    jobs.stop = async () => {
      throw new Error('It does not stop');
    };
    const { fleet: a } = join(broker, 'a', { sources: [jobs], placement: 'singleton' });
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    await expect(a.close()).rejects.toMatchObject({ errors: [{ message: 'It does not stop' }] });
    expect(a.status().phase).toBe('left');
    expect(await broker.connect().bucket.get('lease.a')).toBeUndefined();
    expect(await broker.connect().bucket.get('server.a.jobs')).toBeUndefined();
  });

  test('accepts no call of a server that it stops', async () => {
    const broker = createMemoryBroker();
    const jobs = restingSource('jobs', [tool('run')]);
    const { fleet: a } = join(broker, 'a', { sources: [jobs], placement: 'singleton' });
    const { fleet: b } = join(broker, 'b');
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    const remote = await sourceOf(b, 'jobs@fleet');
    await until(b, () => b.status().singletons[0]?.holder === 'a');
    let stopped: () => void = () => undefined;
    const stopping = new Promise<void>((resolve) => {
      jobs.stop = () =>
        new Promise<void>((finish) => {
          stopped = finish;
          resolve();
        });
    });
    const closing = a.close();
    await stopping;
    await expect(remote.callTool('run', {}, {})).rejects.toBeDefined();
    expect(jobs.calls).toEqual([]);
    stopped();
    await closing;
  });
});

describe('a server that is replaced', () => {
  test('by one of the same name is offered once the earlier one is withdrawn', async () => {
    const broker = createMemoryBroker();
    const old = new ChangingSource('jobs', [tool('run')], 'old');
    const { fleet: a } = join(broker, 'a', { sources: [old], placement: 'singleton' });
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    let stopped: () => void = () => undefined;
    const stopping = new Promise<void>((resolve) => {
      old.stop = () =>
        new Promise<void>((finish) => {
          stopped = finish;
          resolve();
        });
    });
    const removed = a.remove('jobs');
    await stopping;
    a.add(new ChangingSource('jobs', [tool('run')], 'new'));
    await broker.connect().flush();
    expect(a.status().singletons[0]?.holder).toBeUndefined();
    stopped();
    await removed;
    await until(a, () => a.status().singletons[0]?.holder === 'a');
    const result = await (await sourceOf(a, 'jobs')).callTool('run', {}, {});
    expect(result.content).toEqual([{ type: 'text', text: 'new ran run' }]);
  });
});

describe('a node', () => {
  test('whose bus is closed shows no other node as alive', async () => {
    const broker = createMemoryBroker();
    join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b, bus } = join(broker, 'b');
    const remote = await sourceOf(b, 'files@a');
    await b.whenJoined();
    await bus.close();
    await until(b, () => remote.state === 'unreachable');
    expect(b.status()).toMatchObject({ phase: 'failed', error: { code: 'closed' } });
  });

  test('publishes records again that an earlier incarnation has overwritten or deleted', async () => {
    const broker = createMemoryBroker();
    const { fleet: a } = join(broker, 'a', { sources: [new ChangingSource('files', [tool('read')])] });
    const { fleet: b } = join(broker, 'b');
    await sourceOf(b, 'files@a');
    const { bucket } = broker.connect();
    await bucket.delete('server.a.files');
    await until(b, () => !names(b).includes('files@a'));
    await sourceOf(b, 'files@a');
    await a.whenJoined();
  });

  test('deletes records of its earlier incarnation that it no longer offers', async () => {
    const broker = createMemoryBroker();
    const record = { v: 1, incarnation: 1, seq: 1, placement: 'pinned', state: 'running', tools: [] };
    const { bucket } = broker.connect();
    await bucket.put('server.a.old', new TextEncoder().encode(JSON.stringify(record)));
    const { fleet: a } = join(broker, 'a');
    await a.whenJoined();
    await broker.connect().flush();
    expect(await bucket.get('server.a.old')).toBeUndefined();
  });

  test('whose source throws in onToolsChanged is not created, and leaves nothing behind', async () => {
    const broker = createMemoryBroker();
    const bus = broker.connect({ node: 'a' });
    const good = new ChangingSource('good', [tool('read')]);
    const bad = new ChangingSource('bad', []);
    bad.onToolsChanged = () => {
      throw new Error('Nobody listens here');
    };
    expect(() => createFleet({ bus, node: 'a', sources: [good, bad] })).toThrow('Nobody listens here');
    const { fleet: next } = join(broker, 'a');
    await next.whenJoined();
    await bus.close();
  });
});
