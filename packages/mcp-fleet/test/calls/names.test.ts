import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callSubject,
  readCallSubject,
  readReplySubject,
  readReplyTo,
  replySubject,
} from '../../src/bus/fleet-subjects.js';
import { RemoteClients } from '../../src/calls/incoming/client-relay.js';
import { resolveCallLimits } from '../../src/calls/limits.js';
import { CallIds, ClientNumbers } from '../../src/calls/outgoing/caller.js';

const ID = '0123456789abcdef0123456789abcdef';

test('ids of calls are unique, and 128 bits long', () => {
  const ids = new CallIds();
  const drawn = Array.from({ length: 10_000 }, () => ids.next());
  expect(new Set(drawn).size).toBe(drawn.length);
  for (const id of drawn) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

test('the subject of a call names its server, with any characters, and its sender', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (server) => {
      expect(readCallSubject(callSubject('owner', server, 'edge'))).toEqual({ server, edge: 'edge' });
    }),
  );
  expect(readCallSubject('call.owner.files.edge.more')).toBeUndefined();
  expect(readCallSubject('call.owner.files')).toBeUndefined();
});

test('a reply goes only to the node of its call', () => {
  const place = { kind: 'call', requester: 'edge', responder: 'owner' } as const;
  const replyTo = replySubject(place, ID);
  expect(readReplyTo(replyTo, place)).toBe(ID);
  expect(readReplySubject(replyTo)).toEqual({ id: ID, responder: 'owner' });
  const others = [
    replySubject({ ...place, requester: 'other' }, ID),
    replySubject({ ...place, responder: 'other' }, ID),
    replySubject({ ...place, kind: 'define' }, ID),
    replySubject(place, 'x'),
  ];
  for (const other of [...others, 'control.other.owner', `${replyTo}.x`, undefined]) {
    expect(readReplyTo(other, place)).toBeUndefined();
  }
});

describe('clients of other nodes', () => {
  test('the same client has the same number, for any kind of value', () => {
    const numbers = new ClientNumbers();
    const clients = [{}, {}, () => 1, 'a', 'b', 1, undefined, null, Symbol('x')];
    const first = clients.map((client) => numbers.of(client));
    expect(new Set(first).size).toBe(clients.length);
    expect(clients.map((client) => numbers.of(client))).toEqual(first);
  });

  test('a client that is a string is dropped after many others', () => {
    const numbers = new ClientNumbers();
    const first = numbers.of('first');
    for (let index = 0; index < 10_000; index += 1) numbers.of(`client ${index}`);
    expect(numbers.of('first')).not.toBe(first);
  });

  test('the same number of the same incarnation is the same client', () => {
    const clients = new RemoteClients();
    const client = clients.find({ node: 'edge', incarnation: 1, number: 1 });
    expect(clients.find({ node: 'edge', incarnation: 1, number: 1 })).toBe(client);
    for (const other of [
      { node: 'edge', incarnation: 1, number: 2 },
      { node: 'edge', incarnation: 2, number: 1 },
      { node: 'other', incarnation: 1, number: 1 },
    ]) {
      expect(clients.find(other)).not.toBe(client);
    }
  });
});

describe('limits', () => {
  test('have defaults', () => {
    expect(resolveCallLimits()).toEqual({
      maxArgsBytes: 8_388_608,
      maxResultBytes: 33_554_432,
      maxCallsPerNode: 64,
      timeoutMs: 60_000,
    });
  });

  test.each([
    { maxArgsBytes: 0 },
    { maxResultBytes: 1.5 },
    { maxCallsPerNode: -1 },
    { timeoutMs: 0 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: Number.NaN },
  ])('%o is refused by name', (limits) => {
    const [name = ''] = Object.keys(limits);
    expect(() => resolveCallLimits(limits)).toThrow(`limits.${name}`);
  });
});
