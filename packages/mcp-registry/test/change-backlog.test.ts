import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeBacklog } from '../src/changes.js';
import { createRegistry } from '../src/registry.js';

/** Tools by name, with what they say. */
const tools = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(2))
  .map((record) => new Map(Object.entries(record)));

function changeOf(revision: number, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const names = Array.from(new Set([...before.keys(), ...after.keys()])).sort();
  return {
    revision,
    added: names.filter((name) => !before.has(name)),
    removed: names.filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && after.has(name) && before.get(name) !== after.get(name)),
  };
}

test('merged changes contain all added, removed and changed tools', () => {
  fc.assert(
    fc.property(fc.array(tools, { minLength: 2, maxLength: 8 }), (history) => {
      const backlog = new ChangeBacklog();
      for (const [at, after] of history.slice(1).entries()) backlog.add(changeOf(at + 1, history[at] ?? after, after));
      const [first = new Map(), last = new Map()] = [history[0], history.at(-1)];
      const exact = changeOf(history.length - 1, first, last);
      const one = backlog.drain() ?? { added: [], removed: [], changed: [] };
      expect(one.added).toEqual(exact.added);
      expect(one.removed).toEqual(exact.removed);
      expect(one.changed).toEqual(expect.arrayContaining(exact.changed));
      expect(one.changed.every((name) => first.has(name) && last.has(name))).toBe(true);
      expect(backlog.isEmpty).toBe(true);
    }),
  );
});

test('a slow reader receives everything, in a bounded number of changes', async () => {
  const registry = createRegistry();
  const changes = registry.changes();
  const source = createListSource('git', []);
  await registry.attach(source).ready;
  for (let count = 0; count < 1_000; count++) {
    const native = registry.register({ name: `n${count}`, description: '' }, () => '');
    if (count % 2 === 1) native[Symbol.dispose]();
  }
  source.offer([tool('log')]);
  source.announce();
  await registry.close();
  const seen = new Set<string>();
  let [steps, revision] = [0, 0];
  for await (const change of changes) {
    steps++;
    expect(change.revision).toBeGreaterThan(revision);
    revision = change.revision;
    for (const name of change.added) seen.add(name);
    for (const name of change.removed) seen.delete(name);
  }
  expect(steps).toBeLessThan(200);
  expect(revision).toBe(registry.revision);
  expect(seen.size).toBe(registry.list().length - 1); // the search has been there before
});
