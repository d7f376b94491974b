import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DenyPatterns, matchesTool, ToolPatterns } from '../../src/roles/tool-pattern.js';

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
  ['log', 'git', 'log', false],
  ['log', undefined, 'log', true],
  ['lo*', undefined, 'log', false],
  ['git.log', undefined, 'log', false],
  ['__proto__.constructor', '__proto__', 'constructor', true],
])('%s against tool %s · %s: %s', (pattern, server, tool, expected) => {
  expect(matchesTool(pattern, { server, tool })).toBe(expected);
});

test('a pattern with stars means what the same regular expression means', () => {
  const part = fc.stringMatching(/^[ab.*]{0,6}$/);
  fc.assert(
    fc.property(part, fc.stringMatching(/^[ab.]{0,8}$/), (pattern, tool) => {
      const source = pattern
        .split('*')
        .map((text) => text.replaceAll('.', '\\.'))
        .join('.*');
      expect(matchesTool(`s.${pattern}`, { server: 's', tool })).toBe(new RegExp(`^${source}$`).test(tool));
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern and a name made to be hard take no time', () => {
  const pattern = `s.${'*a'.repeat(5_000)}*b`;
  expect(matchesTool(pattern, { server: 's', tool: 'a'.repeat(10_000) })).toBe(false);
});

const name = fc.stringMatching(/^[ab.*]{1,4}$/);
const identity = fc.record({ server: fc.option(name, { nil: undefined }), tool: name });
const patterns = fc.array(fc.stringMatching(/^[ab.*]{1,5}$/), { maxLength: 5 });

test('a list of patterns means what its patterns mean', () => {
  fc.assert(
    fc.property(patterns, identity, (list, each) => {
      const found = new ToolPatterns(list).find(each);
      expect(found !== undefined).toBe(list.some((pattern) => matchesTool(pattern, each)));
      if (found !== undefined) expect(list.includes(found) && matchesTool(found, each)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a list that allows all of a server allows each of its tools', () => {
  fc.assert(
    fc.property(patterns, name, name, (list, server, tool) => {
      if (new ToolPatterns(list).findWhole(server) === undefined) return;
      expect(new ToolPatterns(list).find({ server, tool })).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});

test('what is denied covers what the same list would allow, and says so of its server', () => {
  fc.assert(
    fc.property(patterns, identity, (list, each) => {
      const denied = new DenyPatterns(list);
      if (new ToolPatterns(list).find(each) !== undefined) expect(denied.find(each)).toBeDefined();
      if (each.server === undefined) return;
      if (denied.find(each) !== undefined) expect(denied.findPart(each.server)).toBeDefined();
      if (denied.findWhole(each.server) !== undefined) expect(denied.find(each)).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});
