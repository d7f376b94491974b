import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decodeRecord, encodeRecord, type LeaseRecord, leaseKey } from '../../src/catalog/records.js';
import type { FleetError } from '../../src/errors.js';
import { OwnLease } from '../../src/lease/own-lease.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { TroubledBus } from '../helpers/troubled-bus.js';

const HEARTBEAT_MS = 1_000;
const KEY = leaseKey('a');
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process that claims the name `a`, with scripted reports of the bucket. */
async function setUp(broker = createMemoryBroker(), { isTold = true } = {}) {
  const bus = new TroubledBus(broker.connect());
  const confirmations: boolean[] = [];
  const errors: FleetError[] = [];
  const lease: OwnLease = new OwnLease({
    bus,
    node: 'a',
    heartbeatMs: HEARTBEAT_MS,
    content: () => ({ publicKey: {}, load: {} }),
    onConfirmation: () => confirmations.push(lease.isConfirmed),
    onSuperseded: (error) => errors.push(error),
  });
  await bus.bucket.watch({
    onStart: () => undefined,
    onCurrent: () => undefined,
    onEntry: ({ key, value }) => {
      const read = value && decodeRecord(key, value);
      if (isTold && read?.kind === 'lease') lease.onReported(read.record);
    },
  });
  const inBucket = async (): Promise<LeaseRecord | undefined> => {
    const entry = await broker.connect().bucket.get(KEY);
    const read = entry && decodeRecord(KEY, entry.value);
    return read?.kind === 'lease' ? read.record : undefined;
  };
  return { broker, bus, lease, confirmations, errors, inBucket };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the lease of this node', () => {
  test('is confirmed for two intervals by each heartbeat that the watch reports', async () => {
    const { bus, lease, confirmations } = await setUp();
    expect(lease.incarnation).toBeUndefined();
    await lease.acquire(never);
    await pass(1);
    expect([lease.isConfirmed, lease.incarnation]).toEqual([true, Date.now() - 1]);
    await pass(10 * HEARTBEAT_MS);
    expect(confirmations).toEqual([true]);
    bus.writes = 'lost';
    await pass(HEARTBEAT_MS);
    expect(lease.isConfirmed).toBe(true);
    await pass(HEARTBEAT_MS);
    expect(confirmations).toEqual([true, false]);
    bus.writes = 'fine';
    await pass(HEARTBEAT_MS);
    expect(confirmations).toEqual([true, false, true]);
    await lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is cut off as soon as the confirmation ends', async () => {
    const { lease, bus } = await setUp();
    expect(lease.isCutOff).toBe(false);
    await lease.acquire(never);
    await pass(1);
    expect([lease.isConfirmed, lease.isCutOff]).toEqual([true, false]);
    bus.writes = 'lost';
    await pass(2 * HEARTBEAT_MS);
    expect([lease.isConfirmed, lease.isCutOff]).toEqual([false, true]);
    await lease.release(never);
    expect(lease.isCutOff).toBe(false);
  });

  test('is cut off two intervals after a first heartbeat that is never confirmed', async () => {
    const { lease } = await setUp(createMemoryBroker(), { isTold: false });
    await lease.acquire(never);
    expect([lease.isConfirmed, lease.isCutOff]).toEqual([false, false]);
    await pass(2 * HEARTBEAT_MS - 1);
    expect(lease.isCutOff).toBe(false);
    await pass(1);
    expect(lease.isCutOff).toBe(true);
    await lease.release(never);
  });

  test('is unconfirmed after its period, even before the timer fires', async () => {
    const { lease } = await setUp();
    await lease.acquire(never);
    await pass(1);
    expect(lease.isConfirmed).toBe(true);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * HEARTBEAT_MS);
    expect(lease.isConfirmed).toBe(false);
    vi.restoreAllMocks();
    await lease.release(never);
  });

  test('notifies of a confirmation after its period ended and before the timer fired', async () => {
    const { bus, lease, confirmations } = await setUp();
    await lease.acquire(never);
    await pass(1);
    bus.hush();
    await pass(HEARTBEAT_MS);
    // A process that stood still reads what has arrived before its timers run.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + HEARTBEAT_MS);
    expect(lease.isConfirmed).toBe(false);
    bus.tell();
    expect(lease.isConfirmed).toBe(true);
    expect(confirmations).toEqual([true, true]);
    vi.restoreAllMocks();
    await lease.release(never);
  });

  test('is not confirmed by a heartbeat that is reported too late', async () => {
    const { bus, lease, confirmations } = await setUp();
    await lease.acquire(never);
    await pass(1);
    bus.hush();
    await pass(HEARTBEAT_MS);
    bus.writes = 'lost';
    await pass(2 * HEARTBEAT_MS);
    expect(confirmations).toEqual([true, false]);
    bus.tell();
    expect(confirmations).toEqual([true, false]);
    await lease.release(never);
  });

  test('cannot be acquired while another process replies to probes, which it does from its first write', async () => {
    const { broker, lease } = await setUp();
    await lease.acquire(never);
    const clone = await setUp(broker);
    const taking = clone.lease.acquire(never);
    await expect(taking).rejects.toMatchObject({ code: 'node-taken', node: 'a' });
    await lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('cannot be acquired while another process renews it', async () => {
    const { broker, bus, lease } = await setUp();
    bus.deafen();
    await lease.acquire(never);
    const clone = await setUp(broker);
    const taking = expect(clone.lease.acquire(never)).rejects.toMatchObject({ code: 'node-taken' });
    await pass(3 * HEARTBEAT_MS);
    await taking;
    await lease.release(never);
  });

  test('is acquired from a killed process, with a greater incarnation', async () => {
    const { broker, lease, bus } = await setUp();
    await lease.acquire(never);
    const before = lease.incarnation ?? 0;
    await bus.close();
    const next = await setUp(broker);
    await next.lease.acquire(never);
    expect(next.lease.incarnation).toBeGreaterThan(before);
    await lease.release(never);
    await next.lease.release(never);
  });

  test('has another incarnation each time, even within one second', async () => {
    const { broker, lease } = await setUp();
    await lease.acquire(never);
    const before = lease.incarnation;
    await lease.release(never);
    await pass(1);
    const next = await setUp(broker);
    await next.lease.acquire(never);
    expect(next.lease.incarnation).not.toBe(before);
    await next.lease.release(never);
  });

  test('is acquired at once by the process that wrote it last, even if its earlier connection seems to listen', async () => {
    const { broker, bus, lease } = await setUp();
    using _earlier = broker.connect().subscribe('define.a.>', () => undefined);
    bus.writes = 'unconfirmed';
    await expect(lease.acquire(never)).rejects.toMatchObject({ code: 'bus-down' });
    bus.writes = 'fine';
    const taking = lease.acquire(never);
    await pass(1);
    expect(lease.incarnation).toBeDefined();
    await taking;
    await lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is acquired by a process whose abandoned first write arrives before the second', async () => {
    const { bus, lease, inBucket } = await setUp();
    bus.writes = 'late';
    await expect(lease.acquire(never)).rejects.toMatchObject({ code: 'bus-down' });
    bus.writes = 'fine';
    await lease.acquire(never);
    await pass(1);
    expect(await inBucket()).toMatchObject({ session: lease.session, incarnation: lease.incarnation });
    expect(lease.isConfirmed).toBe(true);
    await lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is acquired by exactly one of two processes at the same time', async () => {
    const first = await setUp();
    const second = await setUp(first.broker);
    const taken = await Promise.allSettled([first.lease.acquire(never), second.lease.acquire(never)]);
    expect(taken.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(taken.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'node-taken' } });
    for (const { lease } of [first, second]) await lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits at most the longest lease, for any heartbeat interval of the last holder', async () => {
    const { broker, lease } = await setUp();
    const record = { incarnation: 1, session: 's', beat: 1, heartbeatMs: 1e12, sentAtMs: 1, publicKey: {}, load: {} };
    await broker.connect().bucket.put(KEY, encodeRecord(record));
    const silent = broker.connect().subscribe('define.a.>', () => undefined);
    const taking = lease.acquire(never);
    await pass(180_000 - 1);
    expect(lease.incarnation).toBeUndefined();
    await pass(1);
    await taking;
    expect(lease.incarnation).toBeDefined();
    silent[Symbol.dispose]();
    await lease.release(never);
  });

  test('is abandoned at once when aborted during the probe', async () => {
    const { broker, lease } = await setUp();
    const other = await setUp(broker);
    other.bus.deafen();
    await other.lease.acquire(never);
    const wanted = new AbortController();
    const taking = expect(lease.acquire(wanted.signal)).rejects.toThrow('not any more');
    await pass(10);
    wanted.abort(new Error('not any more'));
    await taking;
    await other.lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is kept by a process whose heartbeat was written without a confirmation', async () => {
    const { bus, lease, errors, inBucket } = await setUp();
    await lease.acquire(never);
    bus.writes = 'unconfirmed';
    await pass(HEARTBEAT_MS);
    bus.writes = 'fine';
    await pass(HEARTBEAT_MS);
    expect(errors).toEqual([]);
    expect((await inBucket())?.beat).toBeGreaterThanOrEqual(3);
    expect(lease.isConfirmed).toBe(true);
    await lease.release(never);
  });

  test('is released even if the last heartbeat was not confirmed', async () => {
    const { bus, lease, inBucket } = await setUp();
    await lease.acquire(never);
    bus.writes = 'unconfirmed';
    await pass(HEARTBEAT_MS);
    bus.writes = 'fine';
    await lease.release(never);
    expect(await inBucket()).toBeUndefined();
  });

  test('ends at once when another process has the name', async () => {
    const { broker, bus, lease, errors, confirmations } = await setUp();
    await lease.acquire(never);
    await pass(1);
    bus.disconnect();
    const next = await setUp(broker);
    await next.lease.acquire(never);
    bus.inner.reconnect();
    await pass(1);
    expect(errors).toMatchObject([{ code: 'superseded', node: 'a' }]);
    expect([lease.incarnation, confirmations]).toEqual([undefined, [true, false]]);
    await lease.release(never);
    expect((await next.inBucket())?.session).toBe(next.lease.session);
    await next.lease.release(never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not wait for a bus that never answers', async () => {
    const { bus, lease, confirmations } = await setUp();
    await lease.acquire(never);
    bus.writes = 'stuck';
    await pass(5 * HEARTBEAT_MS);
    expect(confirmations).toEqual([true, false]);
    const limit = new AbortController();
    const released = lease.release(limit.signal);
    limit.abort(new Error('too long'));
    await released;
    expect(vi.getTimerCount()).toBe(0);
  });
});
