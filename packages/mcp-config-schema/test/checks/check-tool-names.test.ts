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

test('a tool of another server that is configured is warned of wherever a server names tools', () => {
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

test("a server's own tools are not, nor names with dots that no server has", () => {
  expect(
    foreign({
      health_check: { method: 'tool_call', tool: 'fs.look' },
      allowed_tools: ['fs.git.log', 'web.get', 'my.read', '*'],
    }),
  ).toEqual([]);
});

test('a name of nothing but dots ends in a moment', () => {
  expect(foreign({ allowed_tools: ['a.'.repeat(1_000_000)] })).toEqual([]);
});
