import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DefinitionStore } from '../../src/catalog/definition-store.js';
import { Replica, type SingletonEntry } from '../../src/catalog/replica.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { OwnServers } from '../../src/sources/own-servers.js';
import { ChangingSource, restingSource, tool } from '../helpers/offered.js';
import { TroubledBus } from '../helpers/troubled-bus.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

async function setUp() {
  const bus = new TroubledBus(createMemoryBroker().connect());
  const replica = new Replica();
  const placed: string[] = [];
  const problems: string[] = [];
  let isConfirmed = true;
  const servers = new OwnServers({
    bus,
    policy: { node: 'a', heartbeatMs: 1_000, placement: 'pinned' },
    definitions: new DefinitionStore(),
    replica,
    life: (_holder: SingletonEntry) => 'ended',
    incarnation: () => 1,
    isConfirmed: () => isConfirmed,
    isCurrent: () => true,
    onPlaced: (name, placement, isHere) => placed.push(`${isHere ? '+' : '-'}${name} ${placement}`),
    onChange: () => undefined,
    onHolderChange: () => undefined,
    onProblem: (message) => problems.push(message),
  });
  await bus.bucket.watch({
    onStart: () => undefined,
    onCurrent: () => undefined,
    onEntry: (entry) => {
      replica.apply(entry);
      servers.updateSingletons();
    },
  });
  const cutOff = () => {
    isConfirmed = false;
    servers.updateSingletons();
  };
  return { bus, servers, placed, problems, cutOff };
}

const singleton = (source: ChangingSource) => ({ source, placement: 'singleton' }) as const;

describe('the servers of this node', () => {
  test('are added and removed', async () => {
    const { bus, servers, placed } = await setUp();
    servers.add(new ChangingSource('files', [tool('read')]));
    servers.add({ source: new ChangingSource('own', []), placement: 'local' });
    expect(() => servers.add(new ChangingSource('own', []))).toThrow('this node already has a source named "own"');
    await pass(0);
    expect(await bus.bucket.get('server.a.files')).toBeDefined();
    expect([servers.callee('files')?.name, servers.callee('own'), servers.callee('none')]).toEqual([
      'files',
      undefined,
      undefined,
    ]);
    for (const name of ['files', 'own', 'none']) await servers.remove(name);
    expect(await bus.bucket.get('server.a.files')).toBeUndefined();
    expect(placed).toEqual(['+files pinned', '+own local', '-files pinned', '-own local']);
    expect(servers.all.size).toBe(0);
  });

  test('accept no calls and are stopped when this node may no longer run them', async () => {
    const { servers, cutOff } = await setUp();
    const jobs = restingSource('jobs', []);
    servers.add(singleton(jobs));
    await pass(0);
    expect(servers.callee('jobs')).toBeDefined();
    cutOff();
    expect(() => servers.callee('jobs')).toThrow('The node a does not run the singleton "jobs" at the moment');
    expect(jobs.stops).toBe(1);
  });

  test.each([
    [
      'throw',
      () => {
        throw new Error('no');
      },
    ],
    ['reject', () => Promise.reject(new Error('no'))],
    ['never end', () => new Promise<void>(() => undefined)],
  ])('whose stops %s are reported, and end nothing else', async (_what, stop) => {
    const { servers, problems, cutOff } = await setUp();
    const jobs = restingSource('jobs', []);
    jobs.stop = stop;
    servers.add(singleton(jobs));
    await pass(0);
    cutOff();
    await pass(60_000);
    expect(problems).toEqual(['"jobs" could not be stopped, and another node may run it by now']);
    expect(await servers.leave()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that do not stop delay this node by a minute at most, and run on no other node', async () => {
    const { bus, servers } = await setUp();
    const jobs = restingSource('jobs', []);
    jobs.stop = () => new Promise<void>(() => undefined);
    servers.add(singleton(jobs));
    await pass(0);
    const leaving = servers.leave();
    await pass(60_000);
    expect(await leaving).toMatchObject([{ code: 'timed-out', server: 'jobs' }]);
    expect(await bus.bucket.get('server.a.jobs')).toBeUndefined();
    expect(await bus.bucket.get('singleton.jobs')).toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that are being withdrawn are awaited when the node leaves', async () => {
    const { servers } = await setUp();
    const jobs = restingSource('jobs', []);
    let stopped: () => void = () => undefined;
    jobs.stop = () =>
      new Promise<void>((resolve) => {
        stopped = resolve;
      });
    servers.add(singleton(jobs));
    await pass(0);
    const removed = servers.remove('jobs');
    let hasLeft = false;
    const left = servers.leave().then(() => {
      hasLeft = true;
    });
    await pass(100);
    expect(hasLeft).toBe(false);
    stopped();
    await Promise.all([removed, left]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
