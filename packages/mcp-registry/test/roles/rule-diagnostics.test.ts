import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { findUnmatched, type RuleSubjects } from '../../src/roles/rule-diagnostics.js';
import type { RoleRule } from '../../src/roles.js';

async function unmatched(rule: Omit<RoleRule, 'role'>, { git = [tool('log')], hasListed = true } = {}) {
  const registry = createRegistry({ roles: [{ role: 'r', ...rule }] });
  registry.register({ name: 'grep', description: 'Finds text' }, () => 'found');
  await registry.attach(createListSource('files', [tool('read_file'), tool('write_file')])).ready;
  await registry.attach(Object.assign(createListSource('git', git), { hasListed })).ready;
  return (await registry.diagnostics()).flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
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

test.each(['*', '*.read_file', 'f*.read_file', 'mcp__*', 'read_*'])(
  'a permission %s, whose star would stand for servers, is reported at once, with the servers to name',
  async (pattern) => {
    const found = await unmatched({ allowedTools: ['files', pattern] }, { git: [], hasListed: false });
    expect(found).toMatchObject([{ list: 'allowedTools', pattern, suggestions: ['files', 'git'] }]);
    expect(found[0]?.message).toContain('allows nothing: name each server, "*" stands for none');
    const registry = createRegistry({ roles: [{ role: 'r', allowedTools: [pattern] }] });
    expect(await registry.diagnostics()).toMatchObject([{ code: 'rule-matches-nothing', pattern }]);
  },
);

test.each(['files', 'files.*', 'files/read_*', 'mcp__files__*', 'read_file', '*', 'git', 'grep', 'search_mcp_tools'])(
  'a denial %s that matches something is not reported',
  async (pattern) => {
    expect(await unmatched({ allowedTools: ['files'], deniedTools: [pattern] })).toEqual([]);
  },
);

const unlisted = { git: [], hasListed: false };

test('an entry that names a server is judged once that server has listed its tools', async () => {
  const rule = { allowedTools: ['git.pull', 'pull'], deniedTools: ['git.push', 'mcp__git__push', 'git.p*'] };
  expect(await unmatched(rule, unlisted)).toEqual([]);
  expect((await unmatched(rule)).map(({ pattern }) => pattern)).toEqual([...rule.deniedTools, ...rule.allowedTools]);
});

test('a server without tools does not suppress diagnostics of denials', async () => {
  const rule = { allowedTools: ['files'], deniedTools: ['git.push', 'push', 'push_*', '*.push', 'mcp__*__push'] };
  const found = await unmatched(rule, { git: [] });
  expect(found.map(({ pattern }) => pattern)).toEqual(rule.deniedTools);
  for (const each of found) expect(each.unlisted).toEqual([]);
});

test('a denial without a server is reported while some servers have not listed, with their names', async () => {
  const rule = { allowedTools: ['files'], deniedTools: ['push', 'push_*', '*.push'] };
  const found = await unmatched(rule, unlisted);
  expect(found.map(({ pattern }) => pattern)).toEqual(rule.deniedTools);
  for (const each of found)
    expect(each).toMatchObject({ unlisted: ['git'], message: expect.stringMatching(/; not listed yet: "git"$/) });
});

test.each([
  ['fles.write_file', ['mcp__files__write_file']],
  ['fles/wirte_file', ['mcp__files__write_file']],
  ['mcp__fles__write_file', ['mcp__files__write_file']],
  ['mcp__files', []],
  ['mcp__files__', []],
  ['files__write_file', ['mcp__files__write_file']],
  ['files:write_file', ['mcp__files__write_file']],
  ['nothere.*', []],
  ['nothere', []],
])('a denial %s whose server is misspelt is reported for any listings', async (pattern, suggestions) => {
  for (const options of [{}, unlisted]) {
    const [found, ...others] = await unmatched({ allowedTools: ['files'], deniedTools: [pattern] }, options);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ list: 'deniedTools', pattern });
    expect(found?.suggestions.slice(0, suggestions.length)).toEqual(suggestions);
  }
});

test('a denial for a server of another node is not reported while that node is away', async () => {
  const deniedTools = ['files@east.write_file', 'files@east', 'my.db@fleet.drop'];
  expect(await unmatched({ allowedTools: ['files'], deniedTools })).toEqual([]);
});

test('explain says which denials of a role match nothing', async () => {
  const roles = [
    { role: 'parent', allowedTools: [], deniedTools: ['fles.write_file'] },
    { role: 'heir', allowedTools: ['files'], inherits: ['parent'] },
    { role: 'other', allowedTools: ['files'] },
  ];
  const registry = createRegistry({ roles });
  await registry.attach(createListSource('files', [tool('read_file'), tool('write_file')])).ready;
  expect(await registry.explain('heir', 'files.write_file')).toMatchObject({
    decision: 'allowed',
    message: expect.stringMatching(
      /allows it with "files"\. The role "parent" denies "fles\.write_file" at roles\[0\], which names no known server; near: mcp__files__write_file, mcp__files__read_file\.$/,
    ),
  });
  expect((await registry.explain('other', 'files.write_file')).message).not.toContain('fles');
});

test('a tool that is held back is a tool that a rule may mean', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['files.read'] }], trust: 'approve' });
  await registry.attach(createListSource('files', [tool('read')])).ready;
  expect((await registry.diagnostics()).map(({ code }) => code)).toEqual(['tools-held-back']);
});

test('explain of a name that no tool has says which are near', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['files'] }] });
  await registry.attach(createListSource('files', [tool('read_file')])).ready;
  expect((await registry.explain('r', 'files.read_fil')).message).toMatch(/right now\. Near: mcp__files__read_file\./);
});

const listed = (...tools: readonly [server: string, tool: string][]) =>
  tools.map(([server, name]) => ({ server, tool: name, name: `mcp__${server}__${name}`, inputSchema: {} }) as never);

function subjectsOf({ servers, tools }: Pick<RuleSubjects, 'servers' | 'tools'>): RuleSubjects {
  return { servers, tools, hasListed: () => true, isServer: (name) => servers.includes(name) };
}

function messagesFor(
  rule: Omit<RoleRule, 'role'>,
  subjects: Pick<RuleSubjects, 'servers' | 'tools'>,
): readonly string[] {
  return findUnmatched([{ role: 'r', ...rule }], subjectsOf(subjects)).map(({ message }) => message);
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
  [{ allowedTools: ['mcp__other__x', 'other.x'] }, []],
] as const)('%j: %j', (rule, messages) => {
  expect(messagesFor(rule, files)).toEqual(messages);
});

test('a permission that several servers’ names begin is about the longest, a denial about them all', () => {
  const tools = listed(['a', 'x'], ['a.b', 'y'], ['c', 'z']);
  const rule = { allowedTools: ['a.b.qqq'], deniedTools: ['a.b.qqq'] };
  expect(messagesFor(rule, { servers: ['a', 'a.b', 'c'], tools })).toEqual([
    'The role "r" denies "a.b.qqq" at roles[0], which matches none of the 2 tools of "a.b" and "a"',
    'The role "r" allows "a.b.qqq" at roles[0], which matches none of the 1 tools of "a.b"',
  ]);
});

test('without servers, no rule is reported', () => {
  expect(messagesFor({ allowedTools: ['x'], deniedTools: ['y'] }, { servers: [], tools: [] })).toEqual([]);
});

test('several names that are near are listed', () => {
  const tools = listed(['files', 'read_file'], ['files', 'read_files']);
  const [found] = findUnmatched(
    [{ role: 'r', allowedTools: ['files.read_filez'] }],
    subjectsOf({ servers: ['files'], tools }),
  );
  expect(found?.suggestions).toHaveLength(2);
  expect(found?.message).toContain(`; near: ${found?.suggestions[0]}, ${found?.suggestions[1]}`);
});

test('suggestions for a denial are tools of the intended server', () => {
  const tools = listed(['files', 'read_file'], ['flies', 'read_file']);
  const rule = { allowedTools: [], deniedTools: ['filess.read_fil', 'filess.qqqq', 'mcp__filess__read_fil*'] };
  expect(messagesFor(rule, { servers: ['files', 'flies'], tools })).toEqual([
    'The role "r" denies "filess.read_fil" at roles[0], which names no known server; near: mcp__files__read_file',
    'The role "r" denies "filess.qqqq" at roles[0], which names no known server',
    'The role "r" denies "mcp__filess__read_fil*" at roles[0], which names no known server; near: mcp__files__read_file',
  ]);
});

test('a tool of the app is not one of a server', () => {
  const own = { tool: 'grep', name: 'grep', inputSchema: {} } as never;
  const rule = { allowedTools: [], deniedTools: ['grap'] };
  expect(messagesFor(rule, { servers: ['files'], tools: [...files.tools, own] })).toEqual([
    'The role "r" denies "grap" at roles[0], which matches none of 2 known tools',
  ]);
});

test.each([
  [['a'], '"a"'],
  [['a', 'b', 'c'], '"a", "b", "c"'],
  [['a', 'b', 'c', 'd', 'e'], '"a", "b", "c" and 2 more'],
])('servers that have not listed are named, at most three: %j', (silent, named) => {
  const subjects = {
    ...subjectsOf({ servers: ['files', ...silent], tools: files.tools }),
    hasListed: (server: string) => server === 'files',
  };
  expect(
    findUnmatched([{ role: 'r', allowedTools: [], deniedTools: ['qqq'] }], subjects).map(({ message }) => message),
  ).toEqual([`The role "r" denies "qqq" at roles[0], which matches none of 2 known tools; not listed yet: ${named}`]);
});

test('a denial without a server is not judged before any server has listed', () => {
  const subjects = { ...subjectsOf({ servers: ['files'], tools: [] }), hasListed: () => false };
  expect(findUnmatched([{ role: 'r', allowedTools: [], deniedTools: ['qqq'] }], subjects)).toEqual([]);
});

test('a denial that fits several servers is judged once each of them has listed', () => {
  const tools = listed(['a', 'x']);
  const rule = { role: 'r', allowedTools: [], deniedTools: ['a.b.qqq'] };
  const subjects = subjectsOf({ servers: ['a', 'a.b'], tools });
  expect(findUnmatched([rule], { ...subjects, hasListed: (server) => server === 'a' })).toEqual([]);
  expect(findUnmatched([rule], subjects)).toHaveLength(1);
});

test.each([
  ['mcp__filess', 'which names no known server'],
  ['mcp__', 'which names no known server'],
  ['x_mcp__', 'which matches none of 2 known tools'],
])('a denial %s of a whole server: %s', (pattern, fact) => {
  const [message] = messagesFor({ allowedTools: [], deniedTools: [pattern] }, files);
  expect(message).toContain(`The role "r" denies "${pattern}" at roles[0], ${fact}`);
});

test('without a similar tool of the intended server, tools of others are suggested', () => {
  const tools = listed(['filez', 'zzz'], ['other', 'filex.read_files']);
  const rule = { allowedTools: [], deniedTools: ['filex.read_file'] };
  expect(messagesFor(rule, { servers: ['filez', 'other'], tools })).toEqual([
    'The role "r" denies "filex.read_file" at roles[0], which names no known server; near: mcp__other__filex.read_files',
  ]);
});
