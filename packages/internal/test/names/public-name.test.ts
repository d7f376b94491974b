import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publicName, serverLabel } from '../../src/names/public-name.js';

/** Property runs: 100 000 in the suite. `NAME_CASES=1000000` asks for more. */
const numRuns = Number(process.env.NAME_CASES ?? 100_000);
const DIGEST = /_[0-9][0-9a-z]{12}$/;

const plainText = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const oddText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  plainText,
  fc.stringMatching(/^[a_.]{1,8}$/),
  fc.stringMatching(/^[ab]{15,70}$/),
  fc.stringMatching(/^[a_]{0,6}_[0-9][0-9a-z]{11,13}$/),
);
const identity = fc.tuple(oddText, oddText);

/** Identities whose text is taken from another one's public name, as a hostile server would choose it. */
const derived = identity.chain(([server, tool]) => {
  const name = publicName(server, tool);
  const rest = name.slice('mcp__'.length);
  const cuts = fc.integer({ min: 1, max: Math.max(1, rest.length - 1) });
  return fc.tuple(
    fc.constant([server, tool] as const),
    fc.oneof(
      cuts.map((at) => [rest.slice(0, at), rest.slice(at).replace(/^__/, '')] as const),
      cuts.map((at) => [rest.slice(0, at), rest.slice(at)] as const),
      fc.constant([serverLabel(server), rest.slice(serverLabel(server).length + 2)] as const),
      fc.constant([server, `${tool}${name.slice(-14)}`] as const),
      fc.constant([`${server}__${tool}`, tool] as const),
      fc.constant([`${server}_`, `_${tool}`] as const),
      fc.constant([server.replaceAll('.', '_'), tool] as const),
      fc.constant([server.slice(0, 20), tool] as const),
      identity,
    ),
  );
});

test('keeps a name that is plain, short and unambiguous', () => {
  expect(publicName('github', 'search')).toBe('mcp__github__search');
  expect(publicName('my-server_2', '__log__')).toBe('mcp__my-server_2____log__');
  expect(publicName('app', 'get_configuration')).toBe('mcp__app__get_configuration');
  expect(publicName('app', 'run_v2')).toBe('mcp__app__run_v2');
});

test.each([
  ['a dot in the server', 'git.hub', 'log', /^mcp__git_hub__log/],
  ['a slash in the tool', 'git', 'a/b', /^mcp__git__a_b/],
  ['an astral letter', 'git', '𝒳', /^mcp__git___/],
  ['two underscores in the server', 'a__b', 'c', /^mcp__a__b__c/],
  ['an underscore at the end of the server', 'a_', 'b', /^mcp__a___b/],
  ['an ending like a digest', 'git', 'log_0123456789abc', /^mcp__git__log_0123456789abc/],
  ['an ending like a digest after the border', 'git', '0123456789abc', /^mcp__git__0123456789abc/],
  ['empty texts', '', '', /^mcp____/],
])('gives a name with %s a digest', (_, server, tool, expected) => {
  expect(publicName(server, tool)).toMatch(new RegExp(`${expected.source}_[0-9][0-9a-z]{12}$`));
});

test('cuts a long server name before the name of the tool', () => {
  expect(publicName('server'.repeat(20), 'read_text_file')).toMatch(
    /^mcp__serverserverserverse__read_text_file_[0-9][0-9a-z]{12}$/,
  );
  expect(publicName('git', 'x'.repeat(10_000))).toHaveLength(64);
});

test('keeps a name of 64 characters, and gives a longer one a digest', () => {
  const longest = 'x'.repeat(64 - 'mcp__git__'.length);
  expect(publicName('git', longest)).toBe(`mcp__git__${longest}`);
  expect(publicName('git', `${longest}x`)).toMatch(/^mcp__git__x{40}_[0-9][0-9a-z]{12}$/);
});

test('keeps a name in the middle of which stands what looks like a digest', () => {
  expect(publicName('git', 'log_0123456789abc_of')).toBe('mcp__git__log_0123456789abc_of');
});

test('keeps a long server name whole where 50 characters are enough for both', () => {
  const server = 's'.repeat(30);
  const label = (tool: string) => publicName(server, tool).slice(0, -14);
  expect(label(`.${'t'.repeat(12)}`)).toBe(`mcp__${server}___${'t'.repeat(12)}`);
  expect(label(`.${'t'.repeat(13)}`)).toBe(`mcp__${'s'.repeat(20)}___${'t'.repeat(13)}`);
});

test('labels a server with the first 20 characters of its cleaned name', () => {
  expect(serverLabel('my.server')).toBe('my_server');
  expect(serverLabel('s'.repeat(21))).toBe('s'.repeat(20));
});

test.each([
  ['my.server', 'my_server', 'query'],
  ['GitHub MCP', 'GitHub_MCP', 'query'],
  ['@acme/db', '_acme_db', 'query'],
  ['données', 'donn_es', 'query'],
  ['evil__b', 'evil', 'send'],
  ['company-internal-production-database', 'company-internal-product', 'list_all_customers_of_a_region'],
  ['files@builder', 'files_builder', 'read_text'],
])('no tool of a stranger gets the name of %s', (trusted, stranger, tool) => {
  const name = publicName(trusted, tool);
  const rest = name.slice('mcp__'.length);
  for (let at = 0; at <= rest.length; at++) {
    expect(publicName(stranger, rest.slice(at))).not.toBe(name);
    expect(publicName(rest.slice(0, at), rest.slice(at).replace(/^__/, ''))).not.toBe(name);
  }
});

describe('for any identity', () => {
  test('the name is allowed, and in exactly one of the two spaces', () => {
    fc.assert(
      fc.property(identity, ([server, tool]) => {
        const name = publicName(server, tool);
        expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
        if (!DIGEST.test(name)) expect(name).toBe(`mcp__${server}__${tool}`);
      }),
      { numRuns: 5_000 },
    );
  });

  test('an exact name splits into its server and tool at the first "__"', () => {
    fc.assert(
      fc.property(identity, ([server, tool]) => {
        const name = publicName(server, tool);
        if (DIGEST.test(name)) return;
        const rest = name.slice('mcp__'.length);
        const at = rest.indexOf('__');
        expect([rest.slice(0, at), rest.slice(at + 2)]).toEqual([server, tool]);
      }),
      { numRuns: 5_000 },
    );
  });

  test(`no other identity has the name, whatever it is made from (${numRuns} cases)`, () => {
    fc.assert(
      fc.property(derived, ([[server, tool], [otherServer, otherTool]]) => {
        const isSame = server === otherServer && tool === otherTool;
        return isSame || publicName(server, tool) !== publicName(otherServer, otherTool);
      }),
      { numRuns },
    );
  }, 3_600_000);
});

test('gives similar short identities different names', () => {
  const texts = ['a', '_', '-'].flatMap((one) =>
    ['', 'a', '_'].flatMap((two) => ['', 'a', '_', '__a'].map((end) => one + two + end)),
  );
  const names = texts.flatMap((server) => texts.map((tool) => publicName(server, tool)));
  expect(new Set(names).size).toBe(new Set(texts).size ** 2);
});

test('the digest never changes from one release to the next', () => {
  expect(publicName('git.hub', 'log')).toMatchInlineSnapshot(`"mcp__git_hub__log_5rre9flp2szak"`);
  expect(publicName('files@builder', 'read_text')).toMatchInlineSnapshot(
    `"mcp__files_builder__read_text_7poqcf19e752t"`,
  );
});

test('the digest is SHA-256 of both texts as JSON, modulo 10 × 36 ** 12', () => {
  fc.assert(
    fc.property(identity, ([server, tool]) => {
      const name = publicName(`${server}.`, tool);
      const hash = createHash('sha256')
        .update(JSON.stringify([`${server}.`, tool]))
        .digest('hex');
      const digits = BigInt(`0x${hash.slice(0, 32)}`) % (10n * 36n ** 12n);
      expect(name.slice(-13)).toBe(`${digits / 36n ** 12n}${(digits % 36n ** 12n).toString(36).padStart(12, '0')}`);
    }),
    { numRuns: 500 },
  );
});
