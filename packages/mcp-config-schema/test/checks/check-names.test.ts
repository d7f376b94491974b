import { expect, test } from 'vitest';
import { checkConfig } from '../../src/index.js';
import { checkText } from '../helpers/check-text.js';

const collisions = (...names: string[]) =>
  checkText(
    JSON.stringify({ mcp_servers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) }),
  ).issues.map((issue) => (issue.code === 'colliding-names' ? issue.server : issue.code));

test('warns about servers with similar public names', () => {
  expect(collisions('my files', 'my.files', 'my_files', 'my-files')).toEqual(['my.files', 'my_files']);
  expect(collisions('größe', 'gr__e')).toEqual(['gr__e']);
  expect(collisions('a/b', 'a:b')).toEqual(['a:b']);
  expect(collisions('evil', 'evil__b')).toEqual(['evil__b']);
  expect(collisions('evil__b', 'evil')).toEqual(['evil']);
  expect(collisions('company-internal-production-database', 'company-internal-product')).toEqual([
    'company-internal-product',
  ]);
});

test('accepts other names', () => {
  expect(collisions('git', 'Git', 'git-hub', 'git_hub', 'a__b', 'a__c')).toEqual([]);
});

test('the same server in two layers is one server', () => {
  const text = 'mcp_servers: { my.files: { command: x } }';
  const { issues } = checkConfig([{ text }, { text, layer: 'user' }]);
  expect(issues.map(({ code }) => code)).toEqual(['replaced-server']);
});

test('the issue has the position of the first server', () => {
  const one = { file: 'one.yaml', text: 'mcp_servers:\n  a b: { command: x }\n' };
  const two = { file: 'two.json', text: '{ "mcpServers": { "a.b": { "command": "x" } } }' };
  expect(checkConfig([one, two]).issues).toMatchObject([
    { code: 'colliding-names', file: 'two.json', server: 'a.b', first: { file: 'one.yaml', line: 2, column: 3 } },
  ]);
});

const foreign = (entry: object) =>
  checkText(
    JSON.stringify({
      mcp_servers: { fs: { command: 'x', ...entry }, git: { command: 'x' }, 'my.files': { command: 'x' } },
    }),
    'm.json',
  ).issues.flatMap((issue) =>
    issue.code === 'foreign-tool' ? `${issue.path.slice(2).join('.')}: ${issue.tool} of ${issue.server}` : [],
  );

test('warns about tools of other servers in all lists of a server', () => {
  expect(
    foreign({
      health_check: { method: 'tool_call', tool: 'git.status' },
      allowed_tools: ['read', 'git.log', 'git.*'],
      denied_tools: ['my.files.delete'],
    }),
  ).toEqual([
    'health_check.tool: git.status of git',
    'allowed_tools.1: git.log of git',
    'allowed_tools.2: git.* of git',
    'denied_tools.0: my.files.delete of my.files',
  ]);
});

test("accepts a server's own tools and names with dots", () => {
  expect(
    foreign({
      health_check: { method: 'tool_call', tool: 'fs.look' },
      allowed_tools: ['fs.git.log', 'web.get', 'my.read', '*'],
    }),
  ).toEqual([]);
});

test('checks a name of many dots quickly', () => {
  expect(foreign({ allowed_tools: ['a.'.repeat(1_000_000)] })).toEqual([]);
});
