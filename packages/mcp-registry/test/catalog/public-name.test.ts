import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digest } from '../../src/catalog/digest.js';
import { isNativeName, publicName } from '../../src/catalog/public-name.js';

const plainText = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const oddText = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  plainText,
  fc.stringMatching(/^[a_.]{1,8}$/),
);

test('a name that fits and is unambiguous is kept as it is', () => {
  expect(publicName('git', 'log')).toEqual({ name: 'mcp__git__log', isExact: true });
  expect(publicName('my-server_2', '__log__')).toEqual({ name: 'mcp__my-server_2____log__', isExact: true });
});

test.each([
  ['a dot in the server', 'git.hub', 'log', /^mcp__git_hub__log_[a-z0-9]{8}$/],
  ['a slash in the tool', 'git', 'a/b', /^mcp__git__a_b_[a-z0-9]{8}$/],
  ['an astral letter', 'git', '𝒳', /^mcp__git____[a-z0-9]{8}$/],
  ['two underscores in the server', 'a__b', 'c', /^mcp__a__b__c_[a-z0-9]{8}$/],
  ['an underscore at the end of the server', 'a_', 'b', /^mcp__a___b_[a-z0-9]{8}$/],
  ['an empty text', '', '', /^mcp_____[a-z0-9]{8}$/],
])('a name with %s gets a digest', (_, server, tool, expected) => {
  expect(publicName(server, tool)).toEqual({ name: expect.stringMatching(expected), isExact: false });
});

test('of a long name the server gives way first', () => {
  const { name } = publicName('server'.repeat(20), 'read_text_file');
  expect(name).toMatch(/^mcp__(server){4}__read_text_file_[a-z0-9]{8}$/);
});

test('10 kB of name make a name of 64 characters', () => {
  expect(publicName('git', 'x'.repeat(10_000)).name).toHaveLength(64);
});

test('any identity gets an allowed name, and always the same one', () => {
  fc.assert(
    fc.property(oddText, oddText, (server, tool) => {
      const { name } = publicName(server, tool);
      expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      expect(publicName(server, tool).name).toBe(name);
      expect(isNativeName(name)).toBe(false);
    }),
  );
});

test('no two of all short identities that are hard to tell apart share a name', () => {
  const texts = ['a', '_', '-'].flatMap((one) =>
    ['', 'a', '_'].flatMap((two) => ['', 'a', '_', '__a'].map((end) => one + two + end)),
  );
  const names = texts.flatMap((server) => texts.map((tool) => publicName(server, tool).name));
  const distinct = new Set(texts).size ** 2;
  expect(new Set(names).size).toBe(distinct);
});

test('two identities that clean to one text get different names', () => {
  fc.assert(
    fc.property(oddText, oddText, oddText, oddText, (server, tool, otherServer, otherTool) => {
      fc.pre(server !== otherServer || tool !== otherTool);
      expect(publicName(server, tool).name).not.toBe(publicName(otherServer, otherTool).name);
    }),
    { numRuns: 2_000 },
  );
});

test('a digest never changes from one release to the next', () => {
  expect(['', 'a', '["git.hub","log"]', '日本語'].map(digest)).toMatchInlineSnapshot(`
    [
      "hzj4ux45",
      "fjfn1b6s",
      "giwkj32w",
      "y77154xu",
    ]
  `);
});

test('the digest is 64-bit FNV-1a', () => {
  const mask = 2n ** 64n - 1n;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      let hash = 0xcbf29ce484222325n;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        for (const byte of [unit & 0xff, unit >>> 8]) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
      }
      expect(digest(text)).toBe((hash % 36n ** 8n).toString(36).padStart(8, '0'));
    }),
  );
});
