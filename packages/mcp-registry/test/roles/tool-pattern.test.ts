import { publicName } from '@x/internal/names';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DenyPatterns, matchesTool, namesServer, ToolPatterns } from '../../src/roles/tool-pattern.js';
import { noServer } from '../helpers/known-servers.js';

test.each([
  ['git', 'git', 'log', true],
  ['git.log', 'git', 'log', true],
  ['git.log', 'git', 'logs', false],
  ['git.*', 'git', 'log', true],
  ['git.read_*', 'git', 'read_file', true],
  ['git.read_*', 'git', 'write_file', false],
  ['git.*_file', 'git', 'read_file', true],
  ['git.r*d_*e', 'git', 'read_file', true],
  ['git.a*a', 'git', 'a', false],
  ['git.**', 'git', 'log', true],
  ['git.', 'git', 'log', false],
  ['gi', 'git', 'log', false],
  ['*', 'git', 'log', false],
  ['*.log', 'git', 'log', false],
  ['g*.log', 'git', 'log', false],
  ['git.l.g', 'git', 'log', false],
  ['git.(log)+', 'git', 'log', false],
  ['my.server', 'my.server', 'log', true],
  ['my.server.log', 'my.server', 'log', true],
  ['my.server.log', 'my', 'server.log', true],
  ['my.server.*', 'my', 'server.log', true],
  ['my.server.*', 'my', 'other.log', false],
  ['git/log', 'git', 'log', true],
  ['git/*', 'git', 'log', true],
  ['git/l*', 'git', 'log', true],
  ['git/push', 'git', 'log', false],
  ['*/log', 'git', 'log', false],
  ['@acme/db', '@acme', 'db', true],
  ['@acme/db', '@acme/db', 'query', true],
  ['mcp__git__log', 'git', 'log', true],
  ['mcp__git__lo*', 'git', 'log', true],
  ['mcp__git__*', 'git', 'log', true],
  ['mcp__git__*', 'git', 'my log', true],
  ['mcp__git__*', 'git_hub', 'log', false],
  ['mcp__git*', 'git', 'log', false],
  ['mcp__git_*', 'git', 'log', false],
  ['mcp__*__log', 'git', 'log', false],
  ['mcp__*', 'git', 'log', false],
  ['MCP__git__log', 'git', 'log', false],
  ['mcp__git__log ', 'git', 'log', false],
  ['mcp__git__log', undefined, 'mcp__git__log', true],
  [publicName('my.db', 'query'), 'my.db', 'query', true],
  [publicName('my.db', 'query'), 'my_db', 'query', false],
  ['mcp__my_db__*', 'my.db', 'query', false],
  ['log', 'git', 'log', false],
  ['log', undefined, 'log', true],
  ['lo*', undefined, 'log', false],
  ['git.log', undefined, 'log', false],
  ['__proto__.constructor', '__proto__', 'constructor', true],
])('%s against tool %s · %s: %s', (pattern, server, tool, expected) => {
  expect(matchesTool(pattern, { server, tool }, noServer)).toBe(expected);
});

test('a pattern with stars means what the same regular expression means', () => {
  const part = fc.stringMatching(/^[ab.*]{0,6}$/);
  fc.assert(
    fc.property(part, fc.stringMatching(/^[ab.]{0,8}$/), (pattern, tool) => {
      const source = pattern
        .split('*')
        .map((text) => text.replaceAll('.', '\\.'))
        .join('.*');
      expect(matchesTool(`s.${pattern}`, { server: 's', tool }, noServer)).toBe(new RegExp(`^${source}$`).test(tool));
    }),
    { numRuns: 2_000 },
  );
});

test('hostile patterns and names take little time', () => {
  const pattern = `s.${'*a'.repeat(5_000)}*b`;
  expect(matchesTool(pattern, { server: 's', tool: 'a'.repeat(10_000) }, noServer)).toBe(false);
});

const name = fc.stringMatching(/^[ab./*]{1,4}$/);
const identity = fc.record({ server: fc.option(name, { nil: undefined }), tool: name });
const text = fc.stringMatching(/^[ab./*]{1,5}$/);
const publicText = fc.stringMatching(/^mcp__[ab*]{1,2}__[ab*]{1,2}$/);
const patterns = fc.array(fc.oneof(text, text, publicText), { maxLength: 5 });

const servers = fc.uniqueArray(name, { maxLength: 5 });

test('a list of patterns means what its patterns mean', () => {
  fc.assert(
    fc.property(patterns, identity, servers, (list, each, known) => {
      const isServer = (text: string) => known.includes(text);
      const found = new ToolPatterns(list).find(each, isServer);
      expect(found !== undefined).toBe(list.some((pattern) => matchesTool(pattern, each, isServer)));
      if (found !== undefined) expect(list.includes(found) && matchesTool(found, each, isServer)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a list that allows all of a server allows each of its tools', () => {
  fc.assert(
    fc.property(patterns, name, name, servers, (list, server, tool, known) => {
      const isServer = (text: string) => known.includes(text);
      if (new ToolPatterns(list).findWhole(server, isServer) === undefined) return;
      expect(new ToolPatterns(list).find({ server, tool }, isServer)).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});

test('what is denied covers what the same list would allow, and says so of its server', () => {
  fc.assert(
    fc.property(patterns, identity, (list, each) => {
      const denied = new DenyPatterns(list);
      if (new ToolPatterns(list).find(each, noServer) !== undefined) expect(denied.find(each)).toBeDefined();
      if (each.server === undefined) return;
      const known = { has: () => true, knows: () => false, toolsOf: () => [{ name: each.tool }] };
      if (denied.find(each) !== undefined) expect(denied.findPart(each.server, known)).toBeDefined();
      if (denied.findWhole(each.server) !== undefined) expect(denied.find(each)).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});

test('denies tools by a star after the form of public names, for names of any characters', () => {
  const tool = { server: 'my.db', tool: 'admin.drop' };
  expect(new ToolPatterns(['mcp__my.db__admin.*']).find(tool, noServer)).toBe('mcp__my.db__admin.*');
  expect(new DenyPatterns(['mcp__my.db__admin.*']).find(tool)).toBe('mcp__my.db__admin.*');
  expect(new DenyPatterns(['mcp__my.db__admin.*']).find({ ...tool, tool: 'query' })).toBeUndefined();
});

test('a denial means a tool by every name that people see of it', () => {
  fc.assert(
    fc.property(name, name, (server, tool) => {
      const spellings = [`${server}.${tool}`, `${server}/${tool}`, publicName(server, tool), tool, server];
      for (const spelling of spellings) {
        expect(new DenyPatterns([spelling]).find({ server, tool })).toBe(spelling);
        expect(new DenyPatterns([`${spelling.slice(0, -1)}*`]).find({ server, tool })).toBeDefined();
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['a*bc*c', 'abc', false],
  ['a*bc*c', 'abcc', true],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
])('pieces of %s do not overlap in %s: %s', (pattern, text, expected) => {
  expect(matchesTool(`s.${pattern}`, { server: 's', tool: text }, noServer)).toBe(expected);
});

test('a public name among other spellings means its tool', () => {
  const name = publicName('my files', 'read');
  expect(new ToolPatterns(['git', name]).find({ server: 'my files', tool: 'read' }, noServer)).toBe(name);
  expect(new DenyPatterns(['git', name]).find({ server: 'my files', tool: 'read' })).toBe(name);
});

test.each(['m*__push', '*git__push', 'mcp__g*push', 'mcp__git__push'])(
  'the denial %s means public names',
  (pattern) => {
    expect(new DenyPatterns([pattern]).find({ server: 'git', tool: 'push' })).toBe(pattern);
  },
);

test.each([
  ['git', true],
  ['g*', true],
  ['git.*', true],
  ['git/**', true],
  ['g*.*', true],
  ['mcp__git__*', true],
  ['mcp__git__**', true],
  ['m*cp__git__', false],
  ['git.push', false],
  ['push', false],
  ['gitx.*', false],
])('the denial %s takes all of the server away: %s', (pattern, isWhole) => {
  expect(new DenyPatterns([pattern]).findWhole('git')).toBe(isWhole ? pattern : undefined);
});

test('a tool of the app has no public name, so a denial of public names does not reach it', () => {
  const denied = new DenyPatterns(['mcp__*']);
  expect(denied.find({ server: 'git', tool: 'log' })).toBe('mcp__*');
  expect(denied.find({ server: undefined, tool: 'grep' })).toBeUndefined();
});

test.each([
  ['push', 'push'],
  ['x.push', undefined],
])('while nothing is known of any server, a denial %s may take %s away from it', (pattern, expected) => {
  expect(new DenyPatterns([pattern]).findPart('git')).toBe(expected);
});

test.each([
  ['git', undefined, true],
  ['git.log', undefined, true],
  ['git/log', undefined, true],
  ['mcp__git__log', undefined, true],
  ['git.file:///x', 'uri', true],
  ['git/file', 'uri', false],
  ['mcp__git__file', 'uri', false],
  ['gitlab', undefined, false],
] as const)('%s as a %s is written with the server git: %s', (pattern, kind, expected) => {
  expect(namesServer(pattern, 'git', (name) => name === 'git', kind)).toBe(expected);
});
