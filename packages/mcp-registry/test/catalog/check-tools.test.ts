import { tool } from '@x/test-servers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTools } from '../../src/catalog/check-tools.js';

test.each([
  ['null', null, /not an object/],
  ['a list', [], /not an object/],
  ['a text', 'log', /not an object/],
  ['no name', { inputSchema: {} }, /no name/],
  ['an empty name', tool(''), /no name/],
  ['a name that is no text', tool(7 as never), /no name/],
  ['no schema', { name: 'a' }, /inputSchema/],
  ['a schema that is a list', tool('a', { inputSchema: [] }), /inputSchema/],
  ['a schema of something else', tool('a', { inputSchema: { type: 'string' } }), /inputSchema/],
  ['an odd description', tool('a', { description: {} }), /description/],
  ['odd annotations', tool('a', { annotations: 'none' }), /annotations/],
  ['odd icons', tool('a', { icons: {} }), /icons/],
  ['a bigint', tool('a', { _meta: { big: 1n } }), /bigint/],
])('an entry with %s is refused with the reason, and the others are kept', (_, entry, reason) => {
  const { tools, refused } = checkTools('git', [tool('before'), entry, tool('after')]);
  expect(tools.map(({ name }) => name)).toEqual(['before', 'after']);
  expect(refused).toEqual([
    expect.objectContaining({ code: 'invalid-tool', server: 'git', message: expect.stringMatching(reason) }),
  ]);
});

test('of two tools with one name the first is kept', () => {
  const { tools, refused } = checkTools('git', [tool('log', { title: 'first' }), tool('log', { title: 'second' })]);
  expect(tools.map(({ title }) => title)).toEqual(['first']);
  expect(refused).toEqual([expect.objectContaining({ code: 'duplicate-tool', tool: 'log' })]);
});

test('null counts as absent', () => {
  const { tools, refused } = checkTools('git', [tool('log', { description: null, outputSchema: null, icons: null })]);
  expect([tools, refused]).toEqual([[{ name: 'log', inputSchema: { type: 'object' } }], []]);
});

test('a circular schema is refused', () => {
  const cyclic: Record<string, unknown> = { type: 'object' };
  cyclic.self = cyclic;
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 10_000; level++) deep = { items: deep };
  const { tools, refused } = checkTools('git', [
    tool('cyclic', { inputSchema: cyclic }),
    tool('deep', { inputSchema: { type: 'object', items: deep } }),
    tool('fine'),
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['fine']);
  expect(refused.map(({ message }) => message)).toEqual([
    expect.stringMatching(/"cyclic".*nests deeper/),
    expect.stringMatching(/"deep".*nests deeper/),
  ]);
});

test('foreign text in a message is quoted and cut', () => {
  const [diagnostic] = checkTools('git\u001b[2J', [tool('x'.repeat(10_000), { icons: 1 })]).refused;
  expect(diagnostic?.message).not.toContain('\u001b');
  expect(diagnostic?.message.length).toBeLessThan(400);
});

test('every entry of any list is either kept or refused', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.anything(),
          fc.string().map((name) => tool(name)),
        ),
      ),
      (offered) => {
        const { tools, refused } = checkTools('any', offered);
        expect(tools.length + refused.length).toBe(offered.length);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      },
    ),
  );
});
