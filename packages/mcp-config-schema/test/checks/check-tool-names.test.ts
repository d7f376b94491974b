import { expect, test } from 'vitest';
import { checkText } from '../helpers/check-text.js';

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
