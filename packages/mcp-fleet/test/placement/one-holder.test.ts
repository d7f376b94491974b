import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { encodeRecord, singletonKey } from '../../src/catalog/records.js';
import { Replica } from '../../src/catalog/replica.js';
import { LeaseTable } from '../../src/lease/lease-table.js';
import { Membership } from '../../src/lease/membership.js';
import { createMemoryBroker, type MemoryBroker } from '../../src/memory/broker.js';
import { Holders } from '../../src/placement/holders.js';
import { Singleton } from '../../src/placement/singleton.js';
import { TroubledBus } from '../helpers/troubled-bus.js';

const SERVER = 'jobs';
const HEARTBEAT_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What a process has to do with one server that the fleet runs once. */
class Node {
  readonly name: string;
  readonly bus: TroubledBus;
  readonly singleton: Singleton;
  readonly #membership: Membership;
  #isJoined = false;

  constructor(name: string, bus: TroubledBus, onHolds: (node: Node) => void) {
    this.name = name;
    this.bus = bus;
    const replica = new Replica();
    const leases = new LeaseTable();
    const own = new Map<string, { readonly placement: 'singleton'; readonly acceptsCalls: boolean }>();
    const holders = new Holders({ node: name, own, replica, leases, onChange: () => undefined });
    this.singleton = new Singleton({
      bus,
      node: name,
      server: SERVER,
      heartbeatMs: HEARTBEAT_MS,
      incarnation: () => (this.#isJoined ? this.#membership.incarnation : undefined),
      isConfirmed: () => this.#membership.isConfirmed,
      isCurrent: () => this.#membership.isCurrent,
      entry: () => replica.singleton(SERVER),
      holder: (entry) => holders.life(entry),
      onHolderChange: (isHolder) => {
        if (isHolder) onHolds(this);
      },
    });
    this.#membership = new Membership({
      bus,
      node: name,
      heartbeatMs: HEARTBEAT_MS,
      replica,
      leases,
      content: () => ({ publicKey: {}, load: {} }),
      onJoined: () => {
        this.#isJoined = true;
        this.singleton.update();
      },
      onFailed: () => this.singleton.update(),
      onNode: () => undefined,
      onChange: () => this.singleton.update(),
      onLeases: () => this.singleton.update(),
    });
  }

  get holds(): boolean {
    return this.singleton.isHolder;
  }

  async leave(): Promise<void> {
    await this.singleton[Symbol.asyncDispose]();
    await this.#membership[Symbol.asyncDispose]();
  }

  /** The process is gone, with all that it had. */
  async crash(): Promise<void> {
    await this.bus.close();
    await this.leave();
  }
}

/** Nodes that come, go and lose the bus. No two of them ever hold. */
class Fleet {
  readonly broker: MemoryBroker = createMemoryBroker();
  readonly nodes = new Set<Node>();
  readonly broken: string[] = [];

  start(name: string): Node {
    const bus = new TroubledBus(this.broker.connect({ node: name }));
    const node: Node = new Node(name, bus, (holder) => this.#check(holder));
    this.nodes.add(node);
    return node;
  }

  holders(): readonly Node[] {
    return Array.from(this.nodes).filter(({ holds }) => holds);
  }

  nth(index: number): Node | undefined {
    return Array.from(this.nodes)[index % Math.max(1, this.nodes.size)];
  }

  async pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    if (this.holders().length > 1) this.broken.push(`${this.holders().map(({ name }) => name)} hold`);
  }

  async end(node: Node, how: 'crash' | 'leave'): Promise<void> {
    const ended = how === 'crash' ? node.crash() : node.leave();
    if (how === 'crash') this.nodes.delete(node);
    await this.pass(3 * HEARTBEAT_MS);
    await ended;
    this.nodes.delete(node);
    await node.bus.close();
  }

  async endAll(): Promise<void> {
    for (const node of Array.from(this.nodes)) await this.end(node, 'crash');
  }

  #check(holder: Node): void {
    const others = this.holders().filter((node) => node !== holder);
    if (others.length > 0) this.broken.push(`${holder.name} holds, and ${others.map(({ name }) => name)}, too`);
  }
}

type Step =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'start'; readonly name: string }
  | { readonly do: 'crash' | 'leave' | 'cut' | 'heal' | 'hush' | 'tell'; readonly node: number }
  | { readonly do: 'write'; readonly node: number; readonly writes: TroubledBus['writes'] };

const node = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2_500 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start' as const), name: fc.constantFrom('a', 'b', 'c') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('crash' as const, 'leave' as const), node }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('cut' as const, 'heal' as const, 'hush' as const, 'tell' as const),
      node,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      node,
      writes: fc.constantFrom('fine' as const, 'lost' as const, 'unconfirmed' as const, 'stuck' as const),
    }),
  },
);

async function take(fleet: Fleet, step: Step): Promise<void> {
  if (step.do === 'pass') return fleet.pass(step.ms);
  if (step.do === 'start') return void (fleet.nodes.size < 4 && fleet.start(step.name));
  const node = fleet.nth(step.node);
  if (node === undefined) return;
  if (step.do === 'crash' || step.do === 'leave') return fleet.end(node, step.do);
  if ('writes' in step) node.bus.writes = step.writes;
  else if (step.do === 'cut') node.bus.disconnect();
  else if (step.do === 'heal') node.bus.inner.reconnect();
  else if (step.do === 'hush') node.bus.hush();
  else node.bus.tell();
}

describe('a singleton', () => {
  test('never runs on two nodes under any faults, and runs again when all is well', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const fleet = new Fleet();
        for (const name of ['a', 'b']) fleet.start(name);
        for (const next of steps) await take(fleet, next);
        for (const node of fleet.nodes) {
          node.bus.writes = 'fine';
          node.bus.tell();
          node.bus.inner.reconnect();
        }
        await fleet.end(fleet.start('d'), 'crash');
        fleet.start('e');
        await fleet.pass(15 * HEARTBEAT_MS);
        const holders = fleet.holders().length;
        const broken = fleet.broken.slice();
        await fleet.endAll();
        expect(broken).toEqual([]);
        expect(holders).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  test('waits for its holder that turns out to be alive during the claim', async () => {
    const fleet = new Fleet();
    const a = fleet.start('a');
    await fleet.pass(900);
    const b = fleet.start('b');
    await fleet.pass(50);
    a.bus.writes = 'lost'; // the beat at 1 000
    await fleet.pass(600);
    a.bus.writes = 'fine';
    await fleet.pass(400);
    b.bus.hush(); // after its own beat at 1 900, before that of a at 2 000
    await fleet.pass(550);
    expect(a.holds).toBe(true);
    a.bus.hush();
    await fleet.pass(600);
    expect(b.bus.written).toContain(`singleton.${SERVER}`);
    b.bus.tell();
    await fleet.pass(100);
    expect([a.holds, b.holds]).toEqual([true, false]);
    a.bus.tell();
    await fleet.pass(5 * HEARTBEAT_MS);
    expect([a.holds, b.holds]).toEqual([false, true]);
    expect(fleet.broken).toEqual([]);
    await fleet.endAll();
  });

  test('is not claimed from an earlier process of the same name before that one can notice', async () => {
    const fleet = new Fleet();
    const first = fleet.start('a');
    await fleet.pass(100);
    expect(first.holds).toBe(true);
    first.bus.disconnect();
    const second = fleet.start('a');
    await fleet.pass(HEARTBEAT_MS);
    expect([first.holds, second.holds]).toEqual([true, false]);
    await fleet.pass(4 * HEARTBEAT_MS);
    expect([first.holds, second.holds]).toEqual([false, true]);
    expect(fleet.broken).toEqual([]);
    await fleet.endAll();
  });

  test('stays on its node during a short outage of the bus', async () => {
    const fleet = new Fleet();
    const a = fleet.start('a');
    fleet.start('b');
    await fleet.pass(100);
    expect(a.holds).toBe(true);
    fleet.broker.stop();
    await fleet.pass(HEARTBEAT_MS);
    fleet.broker.start();
    await fleet.pass(10);
    expect(a.holds).toBe(true);
    await fleet.pass(5 * HEARTBEAT_MS);
    expect(a.holds).toBe(true);
    await fleet.endAll();
  });

  test('is claimed once, however often it is updated', async () => {
    const fleet = new Fleet();
    const a = fleet.start('a');
    a.bus.hush();
    await fleet.pass(10);
    a.bus.tell();
    a.bus.hush();
    for (let round = 0; round < 20; round += 1) a.singleton.update();
    await fleet.pass(10);
    expect(a.bus.written.filter((key) => key.startsWith('singleton')).length).toBeLessThanOrEqual(1);
    a.bus.tell();
    await fleet.pass(HEARTBEAT_MS);
    expect(a.holds).toBe(true);
    await fleet.endAll();
  });

  test('that a node is said to run which never was is claimed after the lease that it could have had', async () => {
    const fleet = new Fleet();
    const { bucket } = fleet.broker.connect();
    const record = { node: 'nobody', incarnation: 7, epoch: Number.MAX_SAFE_INTEGER, heartbeatMs: 2 * HEARTBEAT_MS };
    await bucket.put(singletonKey(SERVER), encodeRecord(record));
    const a = fleet.start('a');
    await fleet.pass(5 * HEARTBEAT_MS);
    expect(a.holds).toBe(false);
    await fleet.pass(2 * HEARTBEAT_MS);
    expect(a.holds).toBe(true);
    await fleet.endAll();
  });

  test('stays on its node that was suspended until just before its next confirmation', async () => {
    const fleet = new Fleet();
    const a = fleet.start('a');
    await fleet.pass(50);
    expect(a.holds).toBe(true);
    a.bus.hush();
    await fleet.pass(HEARTBEAT_MS);
    // A process that stood still reads what has arrived before its timers run: first news of others, then its own beat.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + HEARTBEAT_MS);
    a.singleton.update();
    expect(a.holds).toBe(false);
    a.bus.tell();
    now.mockRestore();
    await fleet.pass(HEARTBEAT_MS);
    expect(a.holds).toBe(true);
    await fleet.endAll();
  });

  test('costs a node nothing that the bus does not confirm, however long that lasts', async () => {
    const fleet = new Fleet();
    const { bucket } = fleet.broker.connect();
    await bucket.put(
      singletonKey(SERVER),
      encodeRecord({ node: 'nobody', incarnation: 7, epoch: 1, heartbeatMs: 100 }),
    );
    const a = fleet.start('a');
    await fleet.pass(50);
    a.bus.writes = 'lost';
    await fleet.pass(5 * HEARTBEAT_MS);
    const look = vi.spyOn(a.singleton, 'update');
    await fleet.pass(10 * HEARTBEAT_MS);
    expect(look.mock.calls.length).toBeLessThan(10);
    await fleet.endAll();
  });

  test('leaves no timer behind', async () => {
    const fleet = new Fleet();
    const [a, b] = [fleet.start('a'), fleet.start('b')];
    await fleet.pass(2_500);
    a.bus.disconnect();
    await fleet.pass(2_500);
    await fleet.end(b, 'leave');
    await fleet.end(a, 'leave');
    expect(vi.getTimerCount()).toBe(0);
  });
});
