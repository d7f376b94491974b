import type { ToolView } from '@x/internal/views';
import { describe, expect, test } from 'vitest';
import type { RoleRule } from '../../src/roles/role-rule.js';
import {
  findAmbiguous,
  findUnmatched,
  type NotedTool,
  notesFor,
  type RuleSubjects,
} from '../../src/roles/rule-diagnostics.js';

const view = (server: string | undefined, tool: string): ToolView => ({
  server,
  tool,
  name: server === undefined ? tool : `mcp__${server}__${tool}`,
  inputSchema: {},
  state: 'running',
});

const tools = [view('my', 'db.query'), view('my.db', 'query'), view('files', 'read'), view(undefined, 'own')];
const servers = ['my', 'my.db', 'files'];
const subjects: RuleSubjects = { tools, servers, hasListed: () => true, isServer: (name) => servers.includes(name) };

function notes(
  rules: readonly RoleRule[],
  tool: Omit<NotedTool, 'role' | 'diagnostics'>,
  role = 'r',
): readonly string[] {
  const diagnostics = [...findUnmatched(rules, subjects), ...findAmbiguous(rules, subjects)];
  return notesFor({ role, diagnostics, ...tool }, rules);
}

const [ofMy, ofMyDb, read, own] = tools;
const unmatchedDenial = 'The role "r" denies "files.x" at roles[0], which matches none of the 1 tools of "files".';
const ambiguous =
  'The role "r" allows "my.db.query" at roles[0], which fits the servers "my.db" and "my", and means "my.db" alone; write public names for tools of "my".';

describe('a denial that matches nothing', () => {
  const rules = [{ role: 'r', allowedTools: ['files.qqq'], deniedTools: ['files.x'] }];
  test.each([
    ['a tool that is allowed', { view: read, isAllowed: true }, [unmatchedDenial]],
    ['a tool that is unknown', { view: undefined, isAllowed: false }, [unmatchedDenial]],
    ['a tool that is refused', { view: read, isAllowed: false }, []],
  ])('is noted for %s', (_what, tool, expected) => {
    expect(notes(rules, tool)).toEqual(expected);
  });
});

describe('an entry that fits several servers', () => {
  const rules = [{ role: 'r', allowedTools: ['my.db.query'] }];
  test.each([
    ['the tool that it fits and does not mean', ofMy, [ambiguous]],
    ['the tool that it means', ofMyDb, []],
    ['a tool that it does not fit', read, []],
    ['a tool without a server', own, []],
    ['an unknown tool', undefined, []],
  ])('is noted for %s', (_what, tool, expected) => {
    expect(notes(rules, { view: tool, isAllowed: false })).toEqual(expected);
  });

  test('is not noted as a denial, which counts for each of them', () => {
    const denying = [{ role: 'r', allowedTools: ['my'], deniedTools: ['my.db.query'] }];
    expect(findAmbiguous(denying, subjects)).toMatchObject([
      {
        servers: ['my.db', 'my'],
        message:
          'The role "r" denies "my.db.query" at roles[0], which fits the servers "my.db" and "my", so it denies tools of each of them',
      },
    ]);
    expect(notes(denying, { view: ofMy, isAllowed: false })).toEqual([]);
  });
});

test('a server counts as fitting only if one of its own tools fits', () => {
  const all = [view('my', 'other'), view('my.db', 'query'), view('files', 'db.query')];
  expect(findAmbiguous([{ role: 'r', allowedTools: ['my.db.query'] }], { ...subjects, tools: all })).toEqual([]);
});

test('at most three notes are given', () => {
  const rules = [{ role: 'r', allowedTools: ['files'], deniedTools: ['files.a', 'files.b', 'files.c', 'files.d'] }];
  expect(notes(rules, { view: read, isAllowed: true })).toHaveLength(3);
});

test('entries of another role are not noted', () => {
  const rules = [
    { role: 'r', allowedTools: ['files'] },
    { role: 's', allowedTools: ['files'], deniedTools: ['files.a'] },
  ];
  expect(notes(rules, { view: read, isAllowed: true })).toEqual([]);
});

test('all servers that an entry fits are named', () => {
  const names = ['a', 'a.b', 'a.b.c'];
  const all = [view('a', 'b.c.t'), view('a.b', 'c.t'), view('a.b.c', 't')];
  const several: RuleSubjects = { ...subjects, tools: all, servers: names, isServer: (name) => names.includes(name) };
  expect(findAmbiguous([{ role: 'r', allowedTools: ['a.b.c.t'] }], several).map(({ message }) => message)).toEqual([
    'The role "r" allows "a.b.c.t" at roles[0], which fits the servers "a.b.c" and "a.b" and "a", and means "a.b.c" alone; write public names for tools of "a.b" and "a"',
  ]);
});
