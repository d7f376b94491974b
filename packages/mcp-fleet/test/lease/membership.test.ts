import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { encodeRecord, leaseKey } from '../../src/catalog/records.js';
import { Replica } from '../../src/catalog/replica.js';
import type { FleetError } from '../../src/errors.js';
import { LeaseTable } from '../../src/lease/lease-table.js';
import { Membership } from '../../src/lease/membership.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { TroubledBus } from '../helpers/troubled-bus.js';

const HEARTBEAT_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function setUp(node: string, broker = createMemoryBroker()) {
  const bus = new TroubledBus(broker.connect({ node }));
  const told: string[] = [];
  const errors: FleetError[] = [];
  let looks = 0;
  const leases = new LeaseTable();
  const start = () =>
    new Membership({
      bus,
      node,
      heartbeatMs: HEARTBEAT_MS,
      replica: new Replica(),
      leases,
      content: () => ({ publicKey: {}, load: {} }),
      onJoined: () => told.push('joined'),
      onFailed: (error) => errors.push(error),
      onNode: (other, state) => told.push(`${other} ${state}`),
      onChange: () => undefined,
      onLeases: () => {
        looks += 1;
      },
    });
  return { broker, bus, told, errors, leases, start, looks: () => looks };
}

describe('a member', () => {
  test('reports nodes that appear, go silent, come back and leave', async () => {
    const a = setUp('a');
    const b = setUp('b', a.broker);
    const membership = a.start();
    await pass(10);
    const other = b.start();
    await pass(10);
    b.bus.disconnect();
    await pass(4 * HEARTBEAT_MS);
    b.bus.inner.reconnect();
    await pass(2 * HEARTBEAT_MS);
    await other[Symbol.asyncDispose]();
    await pass(10);
    expect(a.told).toEqual(['joined', 'b alive', 'b unreachable', 'b alive', 'b left']);
    await membership[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not reschedule its timer for a heartbeat of another node', async () => {
    const a = setUp('a');
    const others = Array.from({ length: 20 }, (_, index) => setUp(`h${index}`, a.broker));
    const memberships = [a, ...others].map(({ start }) => start());
    await pass(10);
    const before = a.looks();
    const timers = vi.getTimerCount();
    await pass(20 * HEARTBEAT_MS);
    expect(a.looks()).toBe(before);
    expect(vi.getTimerCount()).toBe(timers);
    for (const membership of memberships) await membership[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('counts a lease that was written long before it joined as expired', async () => {
    const { broker, leases, start, told } = setUp('a');
    const record = {
      incarnation: 1,
      session: 's',
      beat: 1,
      heartbeatMs: HEARTBEAT_MS,
      sentAtMs: 1,
      publicKey: {},
      load: {},
    };
    await broker.connect().bucket.put(leaseKey('old'), encodeRecord(record));
    await pass(4 * HEARTBEAT_MS);
    const membership = start();
    await pass(10);
    expect(leases.get('old')?.isAlive).toBe(false);
    expect(told).toEqual(['old alive', 'old unreachable', 'joined']);
    await membership[Symbol.asyncDispose]();
  });

  test('joins when the bus can be reached, and once for each time', async () => {
    const { broker, told, start } = setUp('a');
    broker.stop();
    const membership = start();
    await pass(10 * HEARTBEAT_MS);
    expect(told).toEqual([]);
    broker.start();
    await pass(10);
    expect(told).toEqual(['joined']);
    broker.stop();
    broker.start();
    broker.stop();
    broker.start();
    await pass(2 * HEARTBEAT_MS);
    expect(told).toEqual(['joined', 'joined']);
    await membership[Symbol.asyncDispose]();
  });

  test('retries when its lease could not be written', async () => {
    const { bus, told, start } = setUp('a');
    bus.writes = 'lost';
    const membership = start();
    await pass(3 * HEARTBEAT_MS);
    expect(told).toEqual([]);
    bus.writes = 'unconfirmed';
    await pass(HEARTBEAT_MS);
    bus.writes = 'fine';
    await pass(2 * HEARTBEAT_MS);
    expect(told).toEqual(['joined']);
    await membership[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that has lost its name shows no other node as alive', async () => {
    const a = setUp('a');
    const membership = a.start();
    const b = setUp('b', a.broker);
    const other = b.start();
    await pass(10);
    a.bus.disconnect();
    const clone = setUp('a', a.broker);
    const second = clone.start();
    await pass(10);
    a.bus.inner.reconnect();
    await pass(10);
    expect(a.errors).toMatchObject([{ code: 'superseded' }]);
    expect(a.told.at(-1)).toBe('b unreachable');
    expect(clone.errors).toEqual([]);
    for (const one of [membership, other, second]) await one[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(['before it has joined', 'while the bus is told of it', 'when it has', 'while the bus does not answer'])(
    'leaves nothing behind when it ends %s',
    async (moment) => {
      const { broker, bus, start } = setUp('a');
      if (moment === 'while the bus is told of it') bus.hush();
      if (moment === 'while the bus does not answer') bus.writes = 'stuck';
      const membership = start();
      if (moment !== 'before it has joined') await pass(1_500);
      const ended = Promise.all([membership[Symbol.asyncDispose](), membership[Symbol.asyncDispose]()]);
      await pass(HEARTBEAT_MS);
      bus.writes = 'fine';
      await ended;
      await pass(10 * HEARTBEAT_MS);
      expect(vi.getTimerCount()).toBe(0);
      expect(await broker.connect().bucket.get(leaseKey('a'))).toBeUndefined();
    },
  );
});
