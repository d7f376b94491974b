import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryTable, indexOfKey, replaceKeys } from '../../src/catalog/entry-table.js';

const keys = fc.uniqueArray(fc.stringMatching(/^[a-d]{0,4}$/)).map((list) => list.toSorted());
const keyOf = (item: { readonly key: string }) => item.key;

test('finds the first item that is not before the key, from any starting point', () => {
  fc.assert(
    fc.property(keys, fc.stringMatching(/^[a-d]{0,4}$/), fc.nat(), (list, key, start) => {
      const items = list.map((each) => ({ key: each }));
      const place = items.findIndex((item) => item.key >= key);
      const expected = place < 0 ? items.length : place;
      expect(indexOfKey(items, key, keyOf, Math.min(start, expected))).toBe(expected);
    }),
  );
});

test('replaced keys have the new items, and all others are unchanged', () => {
  const replacements = fc
    .dictionary(fc.stringMatching(/^[a-d]{0,4}$/), fc.nat(3))
    .map((counts) => new Map(Object.entries(counts)));
  fc.assert(
    fc.property(keys, fc.nat(3), replacements, (list, copies, counts) => {
      const items = list.flatMap((key) => Array.from({ length: copies }, (_, at) => ({ key, at, isNew: false })));
      const made = (key: string) => Array.from({ length: counts.get(key) ?? 0 }, (_, at) => ({ key, at, isNew: true }));
      const ordered = Array.from(counts.keys()).toSorted();
      const replaced = replaceKeys(
        items,
        ordered.map((key) => ({ key, items: made(key) })),
        keyOf,
      );
      const everyKey = Array.from(new Set([...list, ...ordered])).toSorted();
      expect(replaced).toEqual(
        everyKey.flatMap((key) => (counts.has(key) ? made(key) : items.filter((item) => item.key === key))),
      );
    }),
  );
});

test('a table of entries reads as a map, for any number of reads', () => {
  fc.assert(
    fc.property(keys, (names) => {
      const entries = names.map((name) => ({ view: { name } as never, id: name }));
      const table = new EntryTable<{ view: { name: string } & never; id: string }>(entries as never);
      const map = new Map(entries.map((entry) => [entry.id, entry]));
      expect([table.size, Array.from(table), Array.from(table.keys()), Array.from(table.values())]).toEqual([
        map.size,
        Array.from(map),
        Array.from(map.keys()),
        Array.from(map.values()),
      ]);
      for (let round = 0; round < 30; round++) {
        for (const name of ['', 'a', 'b', 'abc', 'dddd', '__proto__', ...names]) {
          expect(table.get(name)).toBe(map.get(name));
          expect(table.has(name)).toBe(map.has(name));
        }
      }
      const seen: string[] = [];
      table.forEach((_, name) => void seen.push(name));
      expect(seen).toEqual(names);
    }),
    { numRuns: 50 },
  );
});
