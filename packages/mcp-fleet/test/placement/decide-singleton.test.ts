import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideSingleton, type Rival, type SingletonFacts } from '../../src/placement/decide-singleton.js';

const entry = { node: 'b', incarnation: 1, epoch: 4, revision: 9, heartbeatMs: 1_000 };
const rival = (life: Rival['life'], waitedMs = 0): Rival => ({ life, waitedMs, leaseMs: 3_000 });
const facts: SingletonFacts = {
  entry,
  node: 'a',
  incarnation: 1,
  isHolder: false,
  isConfirmed: true,
  isCurrent: true,
  rival: rival('alive'),
};
const ours = { ...entry, node: 'a' };

describe('a singleton', () => {
  test('runs on the node that the bucket names, while that node is alive', () => {
    expect(decideSingleton(facts)).toBe('follow');
    expect(decideSingleton({ ...facts, entry: ours, rival: undefined })).toBe('hold');
  });

  test('is claimed when it has no holder, or its holder is gone', () => {
    expect(decideSingleton({ ...facts, entry: undefined, rival: undefined })).toBe('claim');
    expect(decideSingleton({ ...facts, rival: rival('ended') })).toBe('claim');
  });

  test('is not claimed from a holder with another incarnation before its lease could have expired', () => {
    expect(decideSingleton({ ...facts, rival: rival('other-life', 2_999) })).toBe('wait');
    expect(decideSingleton({ ...facts, rival: rival('other-life', 3_000) })).toBe('claim');
  });

  test('does not run before the replaced holder can have noticed', () => {
    expect(decideSingleton({ ...facts, entry: ours, rival: rival('ended') })).toBe('hold');
    expect(decideSingleton({ ...facts, entry: ours, rival: rival('alive', 2_999) })).toBe('wait');
    expect(decideSingleton({ ...facts, entry: ours, rival: rival('alive', 3_000) })).toBe('hold');
    expect(decideSingleton({ ...facts, entry: ours, isHolder: true, rival: rival('alive') })).toBe('hold');
  });

  test('does not belong to this node because an earlier incarnation held it', () => {
    expect(decideSingleton({ ...facts, entry: ours, incarnation: 2, rival: rival('other-life') })).toBe('wait');
  });

  test('neither moves nor starts while the watch starts over', () => {
    expect(decideSingleton({ ...facts, isCurrent: false, entry: undefined, rival: undefined })).toBe('wait');
    expect(decideSingleton({ ...facts, isCurrent: false, entry: ours, rival: undefined })).toBe('wait');
    expect(decideSingleton({ ...facts, isCurrent: false, entry: ours, rival: undefined, isHolder: true })).toBe('hold');
  });

  test('runs nowhere that the bus does not confirm', () => {
    fc.assert(
      fc.property(
        fc.option(fc.record({ node: fc.constantFrom('a', 'b'), incarnation: fc.nat(2) })),
        fc.option(
          fc.record({
            life: fc.constantFrom('alive' as const, 'ended' as const, 'other-life' as const),
            waitedMs: fc.nat(9_000),
            leaseMs: fc.constant(3_000),
          }),
        ),
        fc.boolean(),
        fc.boolean(),
        (named, other, isHolder, isCurrent) => {
          const known = named === null ? undefined : { ...entry, ...named };
          const unconfirmed = {
            ...facts,
            entry: known,
            rival: other ?? undefined,
            isHolder,
            isCurrent,
            isConfirmed: false,
          };
          expect(decideSingleton(unconfirmed)).toBe('wait');
        },
      ),
    );
  });
});
