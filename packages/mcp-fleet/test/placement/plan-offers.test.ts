import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Placement } from '../../src/catalogue/records.js';
import { orderOwners } from '../../src/placement/order-owners.js';
import { offerName, planOffer, type ToldServer } from '../../src/placement/plan-offers.js';

const told = (host: string, server: string, placement: ToldServer['placement']): ToldServer => ({
  host,
  server,
  placement,
});
const plan = (name: string, servers: readonly ToldServer[], own?: Placement) =>
  planOffer(name, { host: 'here', own, told: servers.filter((server) => offerName(server) === name) });

describe('what a host offers of others under one name', () => {
  test('the same server of two hosts stays two', () => {
    const servers = [told('b', 'files', 'pinned'), told('a', 'files', 'pinned')];
    expect(plan('files@a', servers).offer).toMatchObject({ name: 'files@a', server: 'files', owners: ['a'] });
    expect(plan('files@b', servers).offer).toMatchObject({ name: 'files@b', server: 'files', owners: ['b'] });
    expect(plan('files', servers).offer).toBeUndefined();
  });

  test('its own servers are not among them, unless others have them as one with it', () => {
    const servers = [
      told('here', 'files', 'pinned'),
      told('here', 'jobs', 'singleton'),
      told('b', 'jobs', 'singleton'),
    ];
    expect(plan('files@here', servers).offer).toBeUndefined();
    expect(plan('jobs', servers, 'singleton').offer).toEqual({
      name: 'jobs',
      server: 'jobs',
      placement: 'singleton',
      owners: ['b', 'here'],
    });
  });

  test('what hosts say of one name that cannot be true together is told, not offered', () => {
    const own = plan('jobs', [told('b', 'jobs', 'singleton')], 'pinned');
    expect(own).toEqual({
      offer: undefined,
      conflicts: ['"jobs" of b is not offered here: this host has its own server of that name'],
    });
    const { offer, conflicts } = plan('jobs', [told('c', 'jobs', 'replicated'), told('b', 'jobs', 'singleton')]);
    expect(offer).toMatchObject({ owners: ['b'], placement: 'singleton' });
    expect(conflicts).toEqual(['"jobs" is singleton, but replicated on c: these are left out']);
  });

  test('a server that is called as one of another host is not mistaken for it', () => {
    const servers = [told('a', 'files', 'pinned'), told('a', 'files@a', 'singleton')];
    const { offer, conflicts } = plan('files@a', servers);
    expect(offer?.server).toBe('files@a');
    expect(conflicts).toEqual(['"files@a" of a is not offered: another server has the name "files@a"']);
  });

  test('does not depend on the order in which it was told', () => {
    const placement = fc.constantFrom('pinned' as const, 'singleton' as const, 'replicated' as const);
    const server = fc.record({
      host: fc.constantFrom('a', 'b', 'here'),
      server: fc.constantFrom('x', 'x@a'),
      placement,
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(server, { selector: ({ host, server }) => `${host} ${server}` }),
        fc.constantFrom('x', 'x@a', 'x@b'),
        (servers, name) => {
          expect(plan(name, servers.toReversed()).offer).toEqual(plan(name, servers).offer);
        },
      ),
    );
  });
});

test('a call goes to the own host first, then to the one with the least to do', () => {
  const targets = [
    { host: 'c', isOwn: false, inFlight: 1 },
    { host: 'b', isOwn: false, inFlight: 0 },
    { host: 'a', isOwn: false, inFlight: 1 },
    { host: 'here', isOwn: true, inFlight: 9 },
  ];
  expect(orderOwners(targets).map(({ host }) => host)).toEqual(['here', 'b', 'a', 'c']);
});
