import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { createListSource, tool } from '../helpers/list-source.js';

async function search(pattern: string) {
  const registry = createRegistry();
  await registry.attach(
    createListSource('git', [
      tool('git_log', { description: 'Shows commits' }),
      tool('status', { title: 'Working tree' }),
      tool('show', {
        description: 'Shows one commit',
        inputSchema: { type: 'object', properties: { revision_x: {} } },
      }),
    ]),
  ).ready;
  await registry.attach(
    createListSource('other', [tool('zip', { description: 'Not for git, made of aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' })]),
  ).ready;
  registry.register({ name: 'memo', description: 'A note', keywords: ['Remember'] }, () => '');
  const result = await registry.search({ query: pattern, useRegex: true, limit: 100 });
  return result;
}

const toolsFor = async (pattern: string) => (await search(pattern)).tools.map((hit) => hit.tool);

describe('a search by pattern', () => {
  test('takes the name before the server before the description', async () => {
    expect(await toolsFor('git')).toEqual(['git_log', 'show', 'status', 'zip']);
  });

  test.each([
    ['^git_', ['git_log']],
    ['^mcp__git__s', ['show', 'status']],
    ['^git$', ['git_log', 'show', 'status']],
    ['tree$', ['status']],
    ['(?i)REMEMBER', ['memo']],
    ['REMEMBER', []],
    ['^revision_[a-z]$', ['show']],
    ['^search_mcp', ['search_mcp_tools']],
    ['^$', []],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await toolsFor(pattern)).toEqual(expected);
  });

  test('says that it was one, and how many match', async () => {
    expect(await search('^s')).toMatchObject({ mode: 'regex', total: 3, returned: 3 });
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '([a-z]+\\s?)+$', '(x+x+)+y'])('%s takes no time', async (pattern) => {
    expect((await search(pattern)).mode).toBe('regex');
  });
});

describe('a pattern that is none', () => {
  test.each([
    ['(abc', 'missing closing )', 4],
    ['[abc', 'missing closing ]', 4],
    ['a**', 'invalid nested repetition operator', 1],
    ['git_[z-a]', 'invalid character class range', 5],
    ['x(?=y)', 'invalid or unsupported Perl syntax', 1],
    ['(a)\\1', 'invalid escape sequence', 3],
    ['*', 'missing argument to repetition operator', 0],
    ['x{1001}', 'invalid repeat count', 1],
    ['abc)', 'unexpected )', undefined],
    ['abc\\', 'trailing backslash at end of expression', 4],
  ])('%s is an error that says why and where', async (pattern, reason, position) => {
    await expect(search(pattern)).rejects.toMatchObject({
      code: 'invalid-pattern',
      reason,
      position,
      message: expect.stringContaining(reason),
    });
  });

  test('counts that nest into something large are refused', async () => {
    await expect(search('((a{1,30}){1,30}b{1,900}){1}')).rejects.toMatchObject({ code: 'invalid-pattern' });
  });
});
