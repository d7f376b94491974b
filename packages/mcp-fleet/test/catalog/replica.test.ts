import { describe, expect, test } from 'vitest';
import type { BucketChange } from '../../src/bus.js';
import {
  encodeRecord,
  encodeServer,
  leaseKey,
  serverContent,
  serverKey,
  singletonKey,
} from '../../src/catalog/records.js';
import { Replica } from '../../src/catalog/replica.js';

let revision = 0;
const entry = (key: string, value: Uint8Array | undefined): BucketChange => {
  revision += 1;
  return { key, value, revision, writtenAtMs: revision };
};
const lease = (node: string, incarnation: number) =>
  entry(
    leaseKey(node),
    encodeRecord({ incarnation, session: 's', beat: 1, heartbeatMs: 1, sentAtMs: 1, publicKey: {}, load: {} }),
  );
const server = (node: string, name: string, incarnation: number, seq: number, state = 'running') =>
  entry(
    serverKey(node, name),
    encodeServer(serverContent({ incarnation, placement: 'pinned', state, tools: [] }), seq),
  );

describe('a replica', () => {
  test('knows a server whose incarnation is that of the lease', () => {
    const replica = new Replica();
    expect(replica.apply(server('a', 'files', 1, 1))).toMatchObject({ kind: 'server', node: 'a', server: 'files' });
    expect(replica.server('a', 'files')).toBeUndefined();
    replica.apply(lease('a', 1));
    expect(replica.server('a', 'files')).toMatchObject({ seq: 1 });
    expect(replica.servers('a')).toEqual(['files']);
  });

  test('drops all records of a node that comes back', () => {
    const replica = new Replica();
    for (const change of [lease('a', 1), server('a', 'files', 1, 1), server('a', 'git', 1, 2)]) replica.apply(change);
    replica.apply(lease('a', 2));
    expect(replica.servers('a')).toEqual([]);
    replica.apply(server('a', 'git', 2, 1));
    expect(replica.servers('a')).toEqual(['git']);
  });

  test('ignores records of an earlier incarnation, and older ones of this incarnation', () => {
    const replica = new Replica();
    for (const change of [lease('a', 2), server('a', 'files', 2, 5)]) replica.apply(change);
    expect(replica.apply(server('a', 'files', 1, 9, 'failed'))).toEqual({
      kind: 'outdated',
      node: 'a',
      server: 'files',
    });
    expect(replica.apply(server('a', 'files', 2, 5, 'failed'))).toBeUndefined();
    expect(replica.apply(server('a', 'files', 2, 4, 'failed'))).toBeUndefined();
    expect(replica.server('a', 'files')?.state).toBe('running');
  });

  test('removes keys that are not reported again after a reconnect', () => {
    const replica = new Replica();
    for (const change of [lease('a', 1), server('a', 'files', 1, 1), lease('b', 1)]) replica.apply(change);
    replica.start();
    replica.apply(lease('a', 1));
    expect(replica.current()).toEqual([
      { kind: 'server', node: 'a', server: 'files' },
      { kind: 'lease', node: 'b', record: undefined },
    ]);
    expect(replica.nodes()).toEqual(['a']);
    expect(replica.current()).toEqual([]);
  });

  test('rejects malformed records and reports them', () => {
    const replica = new Replica();
    expect(replica.apply(entry('lease.a', new Uint8Array([1])))).toEqual({ kind: 'refused', key: 'lease.a' });
    expect(replica.nodes()).toEqual([]);
  });

  test('knows the holder of a singleton and its revision', () => {
    const replica = new Replica();
    const change = entry(
      singletonKey('jobs'),
      encodeRecord({ node: 'a', incarnation: 1, epoch: 1, heartbeatMs: 1_000 }),
    );
    expect(replica.apply(change)).toEqual({ kind: 'singleton', server: 'jobs' });
    expect(replica.singleton('jobs')).toMatchObject({ node: 'a', revision: change.revision });
    expect(replica.apply(entry(singletonKey('jobs'), undefined))).toEqual({ kind: 'singleton', server: 'jobs' });
    expect(replica.singletons()).toEqual([]);
  });

  test('accepts a lower incarnation that the lease names, because clocks may be set back', () => {
    const replica = new Replica();
    for (const change of [lease('a', 2_000), server('a', 'files', 2_000, 5), lease('a', 1_000)]) replica.apply(change);
    expect(replica.apply(server('a', 'files', 1_000, 1))).toMatchObject({ kind: 'server' });
    expect(replica.server('a', 'files')).toMatchObject({ incarnation: 1_000 });
  });

  test('knows leftovers of earlier incarnations', () => {
    const replica = new Replica();
    for (const change of [server('a', 'files', 1, 1), server('a', 'git', 2, 1), lease('a', 2)]) replica.apply(change);
    expect(replica.leftovers('a')).toEqual(['files']);
    expect(replica.leftovers('b')).toEqual([]);
  });

  test('drops a holder whose record was overwritten', () => {
    const replica = new Replica();
    const held = encodeRecord({ node: 'a', incarnation: 1, epoch: 1, heartbeatMs: 1_000 });
    replica.apply(entry(singletonKey('jobs'), held));
    const change = replica.apply(entry(singletonKey('jobs'), new Uint8Array([1])));
    expect(change).toMatchObject({ kind: 'refused', gone: { kind: 'singleton', server: 'jobs' } });
    expect(replica.singleton('jobs')).toBeUndefined();
  });

  test('accepts a thousand servers of a node, and removes them with it', () => {
    const replica = new Replica();
    replica.apply(lease('a', 1));
    for (let index = 0; index < 1_000; index += 1) replica.apply(server('a', `s${index}`, 1, index + 1));
    expect(replica.apply(server('a', 'more', 1, 2_000))).toMatchObject({ kind: 'refused' });
    expect(replica.apply(server('a', 's5', 1, 2_001))).toMatchObject({ kind: 'server' });
    expect(replica.servers('a')).toHaveLength(1_000);
    for (const name of replica.servers('a')) replica.apply(entry(serverKey('a', name), undefined));
    expect(replica.servers('a')).toEqual([]);
    expect(replica.leftovers('a')).toEqual([]);
  });
});
