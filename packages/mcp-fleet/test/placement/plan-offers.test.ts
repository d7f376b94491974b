import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { offerKey, planOffer, type ReportedServer } from '../../src/placement/plan-offers.js';

const report = (node: string, server: string, placement: ReportedServer['placement']): ReportedServer => ({
  node,
  server,
  placement,
});
const plan = (
  key: string,
  servers: readonly ReportedServer[],
  { own = [] as readonly string[], ...facts } = {} as Facts,
) =>
  planOffer({
    node: 'here',
    reports: servers.filter((server) => offerKey(server) === key),
    isOwnName: (name) => own.includes(name),
    ...facts,
  });
interface Facts {
  readonly own?: readonly string[];
  readonly current?: ReportedServer['placement'];
}

describe('what a node offers of others', () => {
  test('the same server of two nodes stays two', () => {
    const servers = [report('b', 'files', 'pinned'), report('a', 'files', 'pinned')];
    expect(plan('files@a', servers).offer).toMatchObject({ name: 'files@a', server: 'files', owners: ['a'] });
    expect(plan('files@b', servers).offer).toMatchObject({ name: 'files@b', server: 'files', owners: ['b'] });
    expect(plan('files@fleet', servers).offer).toBeUndefined();
  });

  test('own servers are not among them, unless they are shared', () => {
    const servers = [
      report('here', 'files', 'pinned'),
      report('here', 'jobs', 'singleton'),
      report('b', 'jobs', 'singleton'),
    ];
    expect(plan('files@here', servers).offer).toBeUndefined();
    expect(plan('jobs@fleet', servers, { own: ['jobs'] }).offer).toEqual({
      name: 'jobs',
      server: 'jobs',
      placement: 'singleton',
      owners: ['b', 'here'],
    });
  });

  test('a shared server never has the name of an own server', () => {
    const servers = [report('b', 'jobs', 'singleton')];
    for (const own of [[], ['jobs']]) {
      expect(plan('jobs@fleet', servers, { own }).offer).toMatchObject({ name: 'jobs@fleet', server: 'jobs' });
    }
  });

  test('an own server with the name of an offer keeps its name', () => {
    const own = ['jobs@b'];
    expect(plan('jobs@b', [report('b', 'jobs', 'pinned')], { own })).toEqual({
      offer: undefined,
      conflicts: ['"jobs@b" of b is not offered here: this node has its own server of that name'],
    });
  });

  test('of two kinds of one server the first stays, then that of the own node or of the first node by name counts', () => {
    const servers = [report('c', 'jobs', 'replicated'), report('b', 'jobs', 'singleton')];
    const { offer, conflicts } = plan('jobs@fleet', servers);
    expect(offer).toMatchObject({ owners: ['b'], placement: 'singleton' });
    expect(conflicts).toEqual(['"jobs" is singleton, but replicated on c: these are left out']);
    expect(plan('jobs@fleet', servers, { current: 'replicated' }).offer).toMatchObject({ owners: ['c'] });
    const withOwn = [...servers, report('here', 'jobs', 'singleton')];
    expect(plan('jobs@fleet', withOwn, { current: 'replicated' }).offer).toMatchObject({ owners: ['b', 'here'] });
  });

  test("a server with the name of another node's offer is not confused with it", () => {
    const servers = [
      report('a', 'files', 'pinned'),
      report('m', 'files@a', 'singleton'),
      report('m', 'files@a', 'pinned'),
    ];
    expect(plan('files@a', servers)).toMatchObject({ offer: { server: 'files', owners: ['a'] }, conflicts: [] });
    expect(plan('files@a@fleet', servers).offer).toMatchObject({ name: 'files@a@fleet', server: 'files@a' });
    expect(plan('files@a@m', servers).offer).toMatchObject({ name: 'files@a@m', server: 'files@a' });
  });

  test('does not depend on the order of the reports', () => {
    const placement = fc.constantFrom('pinned' as const, 'singleton' as const, 'replicated' as const);
    const server = fc.record({
      node: fc.constantFrom('a', 'b', 'here'),
      server: fc.constantFrom('x', 'x@a'),
      placement,
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(server, { selector: ({ node, server }) => `${node} ${server}` }),
        fc.constantFrom('x@fleet', 'x@a@fleet', 'x@a', 'x@b'),
        (servers, key) => {
          expect(plan(key, servers.toReversed()).offer).toEqual(plan(key, servers).offer);
        },
      ),
    );
  });

  test('no two servers share a key, and no remote server has a name without its place', () => {
    const text = fc.constantFrom('x', 'x@a', 'x@fleet', 'fleet', '@', 'a');
    const server = fc.record({
      node: fc.constantFrom('a', 'b'),
      server: text,
      placement: fc.constantFrom('pinned' as const, 'replicated' as const),
    });
    const identity = ({ node, server, placement }: ReportedServer) =>
      placement === 'pinned' ? `${node}/${server}` : `*/${server}`;
    fc.assert(
      fc.property(server, server, (one, other) => {
        expect(offerKey(one) === offerKey(other)).toBe(identity(one) === identity(other));
        expect(plan(offerKey(one), [one]).offer?.name).toMatch(/@(a|b|fleet)$/);
      }),
    );
  });
});
