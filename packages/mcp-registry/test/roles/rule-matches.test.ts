import { expect, test } from 'vitest';
import type { RoleRule } from '../../src/index.js';
import { createRegistry } from '../../src/registry.js';
import { findUnmatched } from '../../src/roles/rule-matches.js';
import { createListSource, tool } from '../helpers/list-source.js';

async function unmatched(rule: Omit<RoleRule, 'role'>, { hasListed = true } = {}) {
  const registry = createRegistry({ roles: [{ role: 'r', ...rule }] });
  registry.register({ name: 'grep', description: 'Finds text' }, () => 'found');
  await registry.attach(createListSource('files', [tool('read_file'), tool('write_file')])).ready;
  await registry.attach(createListSource('git', hasListed ? [tool('log')] : [])).ready;
  return registry.diagnostics().flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
}

test.each([
  ['files.write_fil', ['mcp__files__write_file']],
  ['files/wirte_file', ['mcp__files__write_file']],
  ['mcp__files__write_fil', ['mcp__files__write_file']],
  ['write_fil', ['mcp__files__write_file']],
  ['files.delete_*', []],
  ['*.wirte_file', ['mcp__files__write_file']],
  ['mcp__*__nothing', []],
  ['Write_Fil*', ['mcp__files__write_file']],
])('a denial %s that matches nothing is reported, with the nearest names', async (pattern, suggestions) => {
  const [found, ...others] = await unmatched({ allowedTools: ['files'], deniedTools: [pattern] });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ role: 'r', list: 'deniedTools', pattern });
  expect(found?.suggestions.slice(0, suggestions.length)).toEqual(suggestions);
  expect(found?.message).toMatch(/^The role "r" denies ".*" at roles\[0\], which matches none of /);
});

test.each(['files.write_fil', 'files/nothing', 'mcp__files__nothing', 'write_file', 'grap'])(
  'a permission %s that matches nothing is reported',
  async (pattern) => {
    expect(await unmatched({ allowedTools: ['git', pattern] })).toMatchObject([{ list: 'allowedTools', pattern }]);
  },
);

test('a tool’s own name that is allowed is reported with the tools that have it', async () => {
  const [found] = await unmatched({ allowedTools: ['write_file'] });
  expect(found?.suggestions[0]).toBe('mcp__files__write_file');
});

test.each(['files', 'files.*', 'files/read_*', 'mcp__files__*', 'read_file', '*', 'git', 'grep', 'search_mcp_tools'])(
  'a denial %s that matches something is not reported',
  async (pattern) => {
    expect(await unmatched({ allowedTools: ['files'], deniedTools: [pattern] })).toEqual([]);
  },
);

test('what a server may offer that has listed nothing yet is not reported, nor what another one may', async () => {
  const rule = { allowedTools: ['files'], deniedTools: ['git.push', 'push', 'push_*', '*.push', 'other.push'] };
  expect(await unmatched(rule, { hasListed: false })).toEqual([]);
  expect((await unmatched(rule)).map(({ pattern }) => pattern)).toEqual(['git.push', 'push', 'push_*', '*.push']);
});

test('a tool that is held back is a tool that a rule may mean', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['files.read'] }], trust: 'approve' });
  await registry.attach(createListSource('files', [tool('read')])).ready;
  expect(registry.diagnostics().map(({ code }) => code)).toEqual(['tools-held-back']);
});

test('explain of a name that no tool has says which are near', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['files'] }] });
  await registry.attach(createListSource('files', [tool('read_file')])).ready;
  expect(registry.explain('r', 'files.read_fil').message).toMatch(/right now\. Near: mcp__files__read_file\./);
});

const listed = (...tools: readonly [server: string, tool: string][]) =>
  tools.map(([server, name]) => ({ server, tool: name, name: `mcp__${server}__${name}`, inputSchema: {} }) as never);

function messagesFor(rule: Omit<RoleRule, 'role'>, subjects: Parameters<typeof findUnmatched>[1]): readonly string[] {
  return findUnmatched([{ role: 'r', ...rule }], subjects).map(({ message }) => message);
}

const files = { servers: ['files'], tools: listed(['files', 'read_file'], ['files', 'write_file']) };

test.each([
  [{ allowedTools: [], deniedTools: ['files.write_fil*'] }, []],
  [
    { allowedTools: [], deniedTools: ['files.wirte_fil*'] },
    [
      'The role "r" denies "files.wirte_fil*" at roles[0], which matches none of the 2 tools of "files"; near: mcp__files__write_file',
    ],
  ],
  [
    { allowedTools: ['files.qqq'] },
    ['The role "r" allows "files.qqq" at roles[0], which matches none of the 2 tools of "files"'],
  ],
  [
    { allowedTools: ['write_fil'] },
    ['The role "r" allows "write_fil" at roles[0], which matches none of 2 known tools; near: mcp__files__write_file'],
  ],
  // What no attached server has may be of one that comes later.
  [{ allowedTools: ['mcp__other__x', 'other.x', '*.nothing'] }, []],
] as const)('%j: %j', (rule, messages) => {
  expect(messagesFor(rule, files)).toEqual(messages);
});

test('a rule that several servers’ names begin is about the tools of them all', () => {
  const tools = listed(['a', 'x'], ['a.b', 'y'], ['c', 'z']);
  expect(messagesFor({ allowedTools: ['a.b.qqq'] }, { servers: ['a', 'a.b', 'c'], tools })).toEqual([
    'The role "r" allows "a.b.qqq" at roles[0], which matches none of the 2 tools of "a" and "a.b"',
  ]);
});

test('without servers, nothing is certain about a rule', () => {
  expect(messagesFor({ allowedTools: ['x'], deniedTools: ['y'] }, { servers: [], tools: [] })).toEqual([]);
});

test('several names that are near are listed', () => {
  const tools = listed(['files', 'read_file'], ['files', 'read_files']);
  const [found] = findUnmatched([{ role: 'r', allowedTools: ['files.read_filez'] }], { servers: ['files'], tools });
  expect(found?.suggestions).toHaveLength(2);
  expect(found?.message).toContain(`; near: ${found?.suggestions[0]}, ${found?.suggestions[1]}`);
});
