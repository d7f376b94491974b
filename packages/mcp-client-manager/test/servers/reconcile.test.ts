import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processFingerprint } from '../../src/launch/launch-fingerprint.js';
import { resolveSpec, type ServerPolicy } from '../../src/resolve-spec.js';
import { reconcile } from '../../src/servers/reconcile.js';

const server = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    command: fc.constantFrom('one', 'two'),
    priority: fc.nat(1),
    deniedTools: fc.constantFrom([], ['x']),
  })
  .map(resolveSpec);
const config = fc.uniqueArray(server, { selector: ({ name }) => name });
const namesOf = (servers: readonly ServerPolicy[]): string[] => servers.map(({ name }) => name);

test('every server is named once, on the side that it is on', () => {
  fc.assert(
    fc.property(config, config, (current, wanted) => {
      const { add, remove, update, restart, replace, keep } = reconcile(current, wanted, (name) => name < 'c');
      const staying = [...namesOf(update), ...namesOf(restart), ...namesOf(replace), ...keep];
      expect([...namesOf(add), ...staying].sort()).toEqual(namesOf(wanted).sort());
      expect([...remove, ...staying].sort()).toEqual(namesOf(current).sort());
    }),
  );
});

test('a server is replaced on request, unless it restarts anyway', () => {
  fc.assert(
    fc.property(config, config, (current, wanted) => {
      const plain = reconcile(current, wanted);
      const { replace, restart } = reconcile(current, wanted, () => true);
      expect(restart).toEqual(plain.restart);
      expect(namesOf(replace).sort()).toEqual([...namesOf(plain.update), ...plain.keep].sort());
    }),
  );
});

test('only another way to run it restarts a server', () => {
  fc.assert(
    fc.property(config, config, (current, wanted) => {
      const { restart, update } = reconcile(current, wanted);
      const before = (name: string): string =>
        processFingerprint(current.find((one) => one.name === name) as ServerPolicy);
      for (const one of restart) expect(processFingerprint(one)).not.toBe(before(one.name));
      for (const one of update) expect(processFingerprint(one)).toBe(before(one.name));
    }),
  );
});

test('keeps unchanged servers in any order', () => {
  fc.assert(
    fc.property(config, (current) => {
      const { keep, ...rest } = reconcile(current, current.toReversed());
      expect(rest).toEqual({ add: [], remove: [], update: [], restart: [], replace: [] });
      expect(keep).toEqual(namesOf(current.toReversed()));
    }),
  );
});
