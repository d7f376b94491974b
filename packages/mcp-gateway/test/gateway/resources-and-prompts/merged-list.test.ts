import type { RolePolicy } from '@x/mcp-registry/roles';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayNames } from '../../../src/gateway/naming/gateway-names.js';
import { mergeParts, partPageOf } from '../../../src/gateway/resources-and-prompts/merged-list.js';

const all: RolePolicy = () => ({ isAllowed: true });
const { prefixed, 'as-is': asIs } = gatewayNames;
const listed = fc.uniqueArray(
  fc.record({
    server: fc.constantFrom('a', 'b', 'c', 'a_b'),
    items: fc.array(fc.record({ uri: fc.constantFrom('x:1', 'x:2', 'x:3', 'b:x:1'), name: fc.string() })),
  }),
  { selector: ({ server }) => server },
);

test('with prefixes nothing collides, and each server keeps its order', () => {
  fc.assert(
    fc.property(listed, (lists) => {
      const { parts, collisions } = mergeParts(lists, { kind: 'resources', names: prefixed, policy: all });
      expect(collisions).toEqual([]);
      const expected = lists.flatMap(({ server, items }) => [...new Set(items.map(({ uri }) => `${server} ${uri}`))]);
      expect(parts.map(({ server, key }) => `${server} ${key}`)).toEqual(expected);
    }),
  );
});

test('with as-is names, names of two servers are not served, in any order of arrival', () => {
  fc.assert(
    fc.property(listed, (lists) => {
      const options = { kind: 'resources', names: asIs, policy: all } as const;
      const merged = mergeParts(lists, options);
      const backwards = mergeParts(lists.toReversed(), options);
      const namesOf = (parts: readonly { name: string }[]) => parts.map(({ name }) => name).toSorted();
      expect(namesOf(merged.parts)).toEqual(namesOf(backwards.parts));
      expect(namesOf(merged.collisions)).toEqual(namesOf(backwards.collisions));
      for (const { name, servers } of merged.collisions) {
        expect(servers.length).toBeGreaterThan(1);
        expect(merged.parts.some((part) => part.name === name)).toBe(false);
      }
    }),
  );
});

test('hidden entries collide with nothing', () => {
  const lists = ['a', 'b'].map((server) => ({ server, items: [{ name: 'same' }] }));
  const onlyA: RolePolicy = (subject) =>
    subject.server === 'a' ? { isAllowed: true } : { isAllowed: false, reason: 'not-listed' };
  const { parts, collisions } = mergeParts(lists, { kind: 'prompts', names: asIs, policy: onlyA });
  expect([parts.map(({ server }) => server), collisions]).toEqual([['a'], []]);
});

test('a prompt keeps its name if other servers add it later', () => {
  const trusted = { server: 'evil__b', items: [{ name: 'p1' }] };
  const options = { kind: 'prompts', names: prefixed, policy: all } as const;
  const [prompt] = mergeParts([trusted], options).parts;
  const rest = prompt?.name.slice('mcp__evil__'.length) ?? '';
  const stranger = { server: 'evil', items: [{ name: rest }, { name: `evil__${rest}` }] };
  for (const lists of [
    [trusted, stranger],
    [stranger, trusted],
  ]) {
    const { parts, collisions } = mergeParts(lists, options);
    expect(collisions).toEqual([]);
    expect(parts.filter(({ name }) => name === prompt?.name)).toMatchObject([{ server: 'evil__b', key: 'p1' }]);
  }
});

test('a list depends only on allowed entries', () => {
  const policy: RolePolicy = (subject) =>
    subject.server !== 'b' && !('uri' in subject && subject.uri === 'x:2')
      ? { isAllowed: true }
      : { isAllowed: false, reason: 'not-listed' };
  const visible = fc.constantFrom(prefixed, asIs);
  fc.assert(
    fc.property(listed, visible, (lists, names) => {
      const only = lists
        .filter(({ server }) => server !== 'b')
        .map(({ server, items }) => ({ server, items: items.filter(({ uri }) => uri !== 'x:2') }));
      const options = { kind: 'resources', names } as const;
      expect(mergeParts(lists, { ...options, policy })).toEqual(mergeParts(only, { ...options, policy: all }));
    }),
  );
});

test('the pages together are the list', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.integer({ min: 1, max: 7 }), (count, pageSize) => {
      const parts = partsOf(count);
      const read = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = partPageOf(parts, pageSize, cursor);
        read.push(...page.parts);
        cursor = page.nextCursor;
      }
      expect(read).toEqual(parts);
    }),
  );
});

test('a page continues after removals, also if its cursor’s entry is gone', () => {
  const parts = partsOf(6);
  const { nextCursor } = partPageOf(parts, 3, undefined);
  const namesAfter = (left: typeof parts) => partPageOf(left, 9, nextCursor).parts.map(({ name }) => name);
  expect(namesAfter(parts.slice(1))).toEqual(['n3', 'n4', 'n5']);
  expect(namesAfter(parts.filter(({ name }) => name !== 'n2'))).toEqual(['n4', 'n5']);
  expect(namesAfter([])).toEqual([]);
});

test('refuses an invalid cursor', () => {
  for (const cursor of ['', '3', 'null', '{"after":1,"at":0}', '{"after":"n1","at":-1}', '{'])
    expect(() => partPageOf(partsOf(3), 2, cursor)).toThrow(/cursor is not from this list/);
});

function partsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    server: 'a',
    key: `k${index}`,
    name: `n${index}`,
    entry: { name: `n${index}` },
  }));
}
