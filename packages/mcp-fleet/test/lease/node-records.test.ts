import { expect, test } from 'vitest';
import type { BucketEntry } from '../../src/bus.js';
import { encodeRecord, leaseKey, serverKey, singletonKey } from '../../src/catalog/records.js';
import { NodeRecords } from '../../src/lease/node-records.js';

const HEARTBEAT_MS = 1_000;
const LEASE_MS = 3 * HEARTBEAT_MS;
/** The bus's clock is another one than that of the process. */
const BUS_MS = 1_000_000;

function lease(node: string, revision: number, writtenAtMs: number): BucketEntry {
  const record = { incarnation: 1, session: 's', beat: revision, heartbeatMs: HEARTBEAT_MS, sentAtMs: 1 };
  const value = encodeRecord({ ...record, publicKey: {}, load: {} });
  return { key: leaseKey(node), value, revision, writtenAtMs: BUS_MS + writtenAtMs };
}

function claim(node: string, revision: number): BucketEntry {
  const value = encodeRecord({ node, incarnation: 1, epoch: 1, heartbeatMs: HEARTBEAT_MS });
  return { key: singletonKey('jobs'), value, revision, writtenAtMs: BUS_MS };
}

test('a node whose lease was written once may live until its lease expires', () => {
  const records = new NodeRecords('a');
  records.apply(lease('a', 1, 0), 0);
  expect(records.liveness(0)).toEqual({ is: 'silent', remainingMs: LEASE_MS });
  expect(records.liveness(LEASE_MS - 1)).toEqual({ is: 'silent', remainingMs: 1 });
  expect(records.liveness(LEASE_MS)).toEqual({ is: 'gone' });
});

test('a later write reveals the age of a lease, without waiting', () => {
  const records = new NodeRecords('a');
  records.apply(lease('a', 1, 0), 0);
  records.apply(lease('b', 2, 2_000), 0);
  expect(records.liveness(500)).toEqual({ is: 'silent', remainingMs: 500 });
  records.apply(lease('b', 3, LEASE_MS), 600);
  expect(records.liveness(600)).toEqual({ is: 'gone' });
});

test('writes before a lease do not age it', () => {
  const records = new NodeRecords('a');
  records.apply(lease('b', 1, -10_000), 0);
  records.apply(lease('a', 2, 0), 0);
  expect(records.liveness(0)).toEqual({ is: 'silent', remainingMs: LEASE_MS });
});

test('a rewritten lease proves life, even across a new report or a deletion', () => {
  const records = new NodeRecords('a');
  records.apply(lease('a', 1, 0), 0);
  records.start();
  records.apply(lease('a', 1, 0), 10);
  expect(records.liveness(10)).toMatchObject({ is: 'silent' });
  records.apply({ ...lease('a', 2, 20), value: undefined }, 20);
  expect(records.liveness(20)).toEqual({ is: 'gone' });
  records.apply(lease('a', 3, 30), 30);
  expect(records.liveness(LEASE_MS * 2)).toEqual({ is: 'alive', heardAtMs: BUS_MS + 30 });
});

test('a lease that this version cannot read may last as long as any', () => {
  const records = new NodeRecords('a');
  records.apply({ ...lease('a', 1, 0), value: new Uint8Array([1]) }, 0);
  expect(records.liveness(0)).toEqual({ is: 'silent', remainingMs: 180_000 });
});

test('the keys of a node are its lease, its claims and its servers, in that order', () => {
  const records = new NodeRecords('a');
  const server = (node: string, name: string, revision: number) => ({
    ...lease(node, revision, 0),
    key: serverKey(node, name),
  });
  records.apply(server('a', 'files', 1), 0);
  records.apply(claim('a', 2), 0);
  records.apply(lease('a', 3, 0), 0);
  records.apply(server('b', 'files', 4), 0);
  records.apply(server('a', 'disk', 5), 0);
  records.apply({ ...lease('a', 6, 0), key: 'other.a' }, 0);
  expect(records.entries.map(({ key }) => key)).toEqual([
    'lease.a',
    'singleton.jobs',
    'server.a.disk',
    'server.a.files',
  ]);
  records.apply(claim('b', 7), 0);
  expect(records.entries.map(({ key }) => key)).not.toContain('singleton.jobs');
});
