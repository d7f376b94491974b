import { expect, test } from 'vitest';
import type { BucketEntry } from '../../src/bus.js';
import { encodeRecord, leaseKey, serverKey, singletonKey } from '../../src/catalog/records.js';
import { NodeRemains } from '../../src/lease/node-remains.js';

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

test('a node whose lease was written once may be there for as long as its lease lasts', () => {
  const remains = new NodeRemains('a');
  remains.take(lease('a', 1, 0), 0);
  expect(remains.look(0)).toEqual({ is: 'silent', restMs: LEASE_MS });
  expect(remains.look(LEASE_MS - 1)).toEqual({ is: 'silent', restMs: 1 });
  expect(remains.look(LEASE_MS)).toEqual({ is: 'gone' });
});

test('a later write reveals the age of a lease, without waiting', () => {
  const remains = new NodeRemains('a');
  remains.take(lease('a', 1, 0), 0);
  remains.take(lease('b', 2, 2_000), 0);
  expect(remains.look(500)).toEqual({ is: 'silent', restMs: 500 });
  remains.take(lease('b', 3, LEASE_MS), 600);
  expect(remains.look(600)).toEqual({ is: 'gone' });
});

test('what was written before a lease says nothing of its age', () => {
  const remains = new NodeRemains('a');
  remains.take(lease('b', 1, -10_000), 0);
  remains.take(lease('a', 2, 0), 0);
  expect(remains.look(0)).toEqual({ is: 'silent', restMs: LEASE_MS });
});

test('a rewritten lease proves life, even across a new report or a deletion', () => {
  const remains = new NodeRemains('a');
  remains.take(lease('a', 1, 0), 0);
  remains.start();
  remains.take(lease('a', 1, 0), 10);
  expect(remains.look(10)).toMatchObject({ is: 'silent' });
  remains.take({ ...lease('a', 2, 20), value: undefined }, 20);
  expect(remains.look(20)).toEqual({ is: 'gone' });
  remains.take(lease('a', 3, 30), 30);
  expect(remains.look(LEASE_MS * 2)).toEqual({ is: 'alive', heardAtMs: BUS_MS + 30 });
});

test('a lease that this version cannot read may last as long as any', () => {
  const remains = new NodeRemains('a');
  remains.take({ ...lease('a', 1, 0), value: new Uint8Array([1]) }, 0);
  expect(remains.look(0)).toEqual({ is: 'silent', restMs: 180_000 });
});

test('the keys of a node are its lease, its claims and its servers, in that order', () => {
  const remains = new NodeRemains('a');
  const server = (node: string, name: string, revision: number) => ({
    ...lease(node, revision, 0),
    key: serverKey(node, name),
  });
  remains.take(server('a', 'files', 1), 0);
  remains.take(claim('a', 2), 0);
  remains.take(lease('a', 3, 0), 0);
  remains.take(server('b', 'files', 4), 0);
  remains.take(server('a', 'disk', 5), 0);
  remains.take({ ...lease('a', 6, 0), key: 'other.a' }, 0);
  expect(remains.entries.map(({ key }) => key)).toEqual([
    'lease.a',
    'singleton.jobs',
    'server.a.disk',
    'server.a.files',
  ]);
  remains.take(claim('b', 7), 0);
  expect(remains.entries.map(({ key }) => key)).not.toContain('singleton.jobs');
});
