import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeRecord,
  encodeRecord,
  encodeServer,
  leaseKey,
  parseKey,
  type ServerRecord,
  serverContent,
  serverKey,
  singletonKey,
} from '../../src/catalog/records.js';

const lease = {
  incarnation: 3,
  session: 's',
  beat: 1,
  heartbeatMs: 5_000,
  sentAtMs: 1_700_000_000_000,
  publicKey: { kty: 'OKP' },
  load: { files: 2 },
};
const digest = 'd'.repeat(24);
const server = { incarnation: 3, seq: 1, placement: 'pinned', state: 'running', tools: [['read', digest]] } as const;
const encode = ({ seq, ...content }: ServerRecord) => encodeServer(serverContent(content), seq);

describe('records', () => {
  test('are decoded as they were encoded', () => {
    const files = { ...server, tools: { pages: [digest, digest], count: 5_000 } };
    expect(decodeRecord(leaseKey('a'), encodeRecord(lease))).toEqual({ kind: 'lease', node: 'a', record: lease });
    expect(decodeRecord(serverKey('a', 'x.y'), encode(server))).toEqual({
      kind: 'server',
      node: 'a',
      server: 'x.y',
      record: server,
    });
    expect(decodeRecord(serverKey('a', 'b'), encode(files))).toMatchObject({ record: files });
    const singleton = { node: 'a', incarnation: 1, epoch: 2, heartbeatMs: 1_000 };
    expect(decodeRecord(singletonKey('jobs'), encodeRecord(singleton))).toEqual({
      kind: 'singleton',
      server: 'jobs',
      record: singleton,
    });
  });

  test('foreign keys, other versions and malformed values are no records', () => {
    const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    expect(decodeRecord('lease.a', bytes({ v: 2, ...lease }))).toBeUndefined();
    expect(decodeRecord('lease.a', bytes({ v: 1, ...lease, incarnation: -1 }))).toBeUndefined();
    expect(decodeRecord('lease.a', bytes({ v: 1, ...lease, publicKey: 'x' }))).toBeUndefined();
    expect(decodeRecord('lease.a', bytes({ v: 1, ...lease, load: { files: 'many' } }))).toBeUndefined();
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, placement: 'local' }))).toBeUndefined();
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, tools: [['read']] }))).toBeUndefined();
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, tools: { pages: [], count: 1e9 } }))).toBeUndefined();
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, tools: [['read', 'short']] }))).toBeUndefined();
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, state: 'x'.repeat(65) }))).toBeUndefined();
    const pages = Array.from({ length: 10_001 }, () => digest);
    expect(decodeRecord('server.a.b', bytes({ v: 1, ...server, tools: { pages, count: 1 } }))).toBeUndefined();
    const holder = { v: 1, node: 'a', incarnation: 1, epoch: 1, heartbeatMs: 1_000 };
    expect(decodeRecord('singleton.b', bytes(holder))).toBeDefined();
    expect(decodeRecord('singleton.b', bytes({ ...holder, node: 'a b' }))).toBeUndefined();
    expect(decodeRecord('singleton.b', bytes({ ...holder, heartbeatMs: 0 }))).toBeUndefined();
    expect(decodeRecord('other.a', bytes({ v: 1, ...lease }))).toBeUndefined();
    expect(decodeRecord('lease.a', new Uint8Array([0xff]))).toBeUndefined();
    expect(parseKey('lease.a.b')).toBeUndefined();
    expect(parseKey('server.a.b.c')).toBeUndefined();
    expect(parseKey('server.a')).toBeUndefined();
  });

  test('decoding any text under any key never throws', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('lease.a', 'server.a.b', 'singleton.b'));
    fc.assert(
      fc.property(key, fc.oneof(fc.json(), fc.string()), (name, text) => {
        expect(decodeRecord(name, new TextEncoder().encode(text))?.kind).toBeOneOf([
          undefined,
          'lease',
          'server',
          'singleton',
        ]);
      }),
    );
  });
});
