import type { RolePolicy } from '@x/mcp-registry/roles';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListChanges } from '../../../src/gateway/resources-and-prompts/list-changes.js';
import type { ListChange } from '../../../src/gateway/resources-and-prompts/upstream-lists.js';
import type { UpstreamEntry } from '../../../src/gateway/upstream.js';

const part: RolePolicy = (subject) =>
  'uri' in subject && subject.uri.startsWith('a:') ? { isAllowed: true } : { isAllowed: false, reason: 'not-listed' };
const change = (items: readonly UpstreamEntry[]): ListChange => ({
  server: 'one',
  capability: 'resources',
  before: [{ kind: 'resources', items }],
});

test('a change is reported to an audience exactly if its list differs', async () => {
  const entry = fc.record({
    uri: fc.constantFrom('a:1', 'a:2', 'a:3', 'b:1', 'b:2', ''),
    name: fc.constantFrom('x', 'y'),
  });
  const list = fc.array(entry, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(list, list, async (before, after) => {
      const changes = new ListChanges(async () => after);
      const seen = (entries: readonly { uri: string }[]) => entries.filter(({ uri }) => uri.startsWith('a:'));
      const isOther = JSON.stringify(seen(before)) !== JSON.stringify(seen(after));
      expect(await changes.isFor(part, change(before))).toBe(isOther);
    }),
  );
});

test('an audience that may use the whole server gets every change', async () => {
  const changes = new ListChanges(async () => [{ uri: 'a:1' }]);
  expect(await changes.isFor(() => ({ isAllowed: true }), change([{ uri: 'a:1' }]))).toBe(true);
});

test('computes a change once for all audiences with the same rights', async () => {
  const before = Array.from({ length: 1_000 }, (_, number) => ({ uri: `b:${number}`, name: 'old' }));
  const after = before.map((entry) => ({ ...entry, name: 'new' }));
  let reads = 0;
  let decisions = 0;
  const policy: RolePolicy = (subject) => {
    decisions++;
    return part(subject);
  };
  const changes = new ListChanges(async () => {
    reads++;
    return after;
  });
  const one = change(before);
  expect(await Promise.all(Array.from({ length: 50 }, () => changes.isFor(policy, one)))).toEqual(
    Array(50).fill(false),
  );
  expect([reads, decisions]).toEqual([1, 2_001]);
});

test('reports an equal list to no audience, without a policy check', async () => {
  const items = Array.from({ length: 1_000 }, (_, number) => ({ uri: `a:${number}` }));
  let decisions = 0;
  const changes = new ListChanges(async () => structuredClone(items));
  const policy: RolePolicy = (subject) => {
    decisions++;
    return part(subject);
  };
  expect(await changes.isFor(policy, change(items))).toBe(false);
  expect(decisions).toBe(1);
});

test('other work proceeds between two audiences', async () => {
  const changes = new ListChanges(async () => [{ uri: 'a:1' }]);
  const one = change([]);
  const order: string[] = [];
  const policies = [1, 2, 3].map(
    (number): RolePolicy =>
      (subject) => {
        if ('uri' in subject && subject.uri !== '') order.push(`decided ${number}`);
        return part(subject);
      },
  );
  const tick = () => {
    order.push('turn');
    if (order.filter((each) => each.startsWith('decided')).length < 3) setTimeout(tick, 0);
  };
  setTimeout(tick, 0);
  await Promise.all(policies.map((policy) => changes.isFor(policy, one)));
  const decided = order.flatMap((each, index) => (each === 'turn' ? [] : [index]));
  expect(decided).toHaveLength(3);
  expect(decided.every((place, index) => index === 0 || place > (decided[index - 1] ?? 0) + 1)).toBe(true);
});
