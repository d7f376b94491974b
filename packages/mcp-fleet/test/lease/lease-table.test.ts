import { describe, expect, test } from 'vitest';
import type { LeaseRecord } from '../../src/catalog/records.js';
import { LeaseTable } from '../../src/lease/lease-table.js';

const HEARTBEAT_MS = 1_000;

function beat(number: number, changes: Partial<LeaseRecord> = {}): LeaseRecord {
  const common = { incarnation: 1, session: 'one', heartbeatMs: HEARTBEAT_MS, publicKey: {}, load: {} };
  return { ...common, beat: number, sentAtMs: 50_000 + number, ...changes };
}

describe('a lease', () => {
  test('lasts for three heartbeats of silence', () => {
    const leases = new LeaseTable();
    expect(leases.recordHeartbeat('a', { record: beat(1) }, 0)).toBe(true);
    expect(leases.expire(2_999)).toEqual([]);
    expect(leases.nextDeadlineMs()).toBe(3_000);
    expect(leases.expire(3_000)).toEqual(['a']);
    expect(leases.expire(9_000)).toEqual([]);
    expect(leases.get('a')?.isAlive).toBe(false);
  });

  test('is prolonged by each heartbeat, but not by a repeated report', () => {
    const leases = new LeaseTable();
    leases.recordHeartbeat('a', { record: beat(1) }, 0);
    expect(leases.recordHeartbeat('a', { record: beat(2) }, 2_000)).toBe(false);
    expect(leases.recordHeartbeat('a', { record: beat(2) }, 4_000)).toBe(false);
    expect(leases.expire(5_000)).toEqual(['a']);
    expect(leases.recordHeartbeat('a', { record: beat(2) }, 5_500)).toBe(false);
    expect(leases.get('a')?.isAlive).toBe(false);
    expect(leases.recordHeartbeat('a', { record: beat(3) }, 6_000)).toBe(true);
  });

  test('does not depend on the clocks of nodes', () => {
    const leases = new LeaseTable();
    for (const [number, skewMs] of [0, 600_000, -600_000].entries()) {
      leases.recordHeartbeat('a', { record: beat(number, { sentAtMs: 1_000_000 + skewMs }) }, number * 1_000);
    }
    expect(leases.nextDeadlineMs()).toBe(5_000);
  });

  test('lasts at most three minutes, for any declared heartbeat', () => {
    const leases = new LeaseTable();
    leases.recordHeartbeat('a', { record: beat(1, { heartbeatMs: 1e9 }) }, 0);
    expect(leases.nextDeadlineMs()).toBe(180_000);
  });

  test('of another incarnation is a new lease', () => {
    const leases = new LeaseTable();
    leases.recordHeartbeat('a', { record: beat(1) }, 0);
    expect(leases.recordHeartbeat('a', { record: beat(1, { incarnation: 2, session: 'two' }) }, 10)).toBe(true);
    expect(leases.get('a')?.record.incarnation).toBe(2);
  });

  test('from before the watch ages by the clock of the bus', () => {
    const leases = new LeaseTable();
    leases.recordHeartbeat('old', { record: beat(1), writtenAtMs: 10_000 }, 0);
    leases.recordHeartbeat('new', { record: beat(1), writtenAtMs: 19_500 }, 0);
    leases.age(20_000, 100);
    expect(leases.expire(100)).toEqual(['old']);
    expect(leases.nextDeadlineMs()).toBe(2_600);
  });

  test('estimates the current clock of its node', () => {
    const leases = new LeaseTable();
    leases.recordHeartbeat('a', { record: beat(1, { sentAtMs: 900_000 }) }, 1_000);
    expect(leases.clockOf('a', 1_250)).toBe(900_250);
    expect(leases.clockOf('b', 1_250)).toBeUndefined();
  });
});
