// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskSecrets } from '../../src/secrets/mask-secrets.js';

test.each([
  ['    GITHUB_TOKEN: hunter2hunter2', '    GITHUB_TOKEN: **************'],
  ['"env": { "API_KEY": "abc def, ghi", "X": "y" }', '"env": { "API_KEY": "*** **** ***", "X": "y" }'],
  ['args: [--token, abcdefgh, x]', 'args: [--token, ********, x]'],
  ['headers: { Authorization: Bearer abcdefgh, Accept: x }', 'headers: { Authorization: ****** ********, Accept: x }'],
  ['url: https://me:pw@x.example/mcp', 'url: https://me:**@x.example/mcp'],
  [`key: ghp_${'a1'.repeat(15)}`, `key: ${'*'.repeat(34)}`],
  ['token: ${A:-abcdefgh}', 'token: **************'],
  [
    'args: ["-H", "X-Api-Key: abc def", "-e", "DB_PASS=abcdefgh"]',
    'args: ["-H", "X-Api-Key: *** ***", "-e", "DB_PASS=********"]',
  ],
  [`token: "${'a b'.repeat(200)}", x: y`, `token: "${'* *'.repeat(200)}", x: y`],
  [`{ token: ${'ab'.repeat(400)}, x: y }`, `{ token: ${'**'.repeat(400)}, x: y }`],
  ['  TOKEN: ${TOKEN}', '  TOKEN: ${TOKEN}'],
  ['MAX_TOKENS: 10000000', 'MAX_TOKENS: 10000000'],
  ['command: npx -y @example/server --root /srv/data', 'command: npx -y @example/server --root /srv/data'],
])('%s', (line, masked) => {
  expect(maskSecrets(line)).toBe(masked);
});

describe('a value is known by a name that stands above it', () => {
  test.each([
    ['a block of text', 'API_TOKEN: |-\n  ab12cd\n\n  ef\nX: y', 'API_TOKEN: |-\n  ******\n\n  **\nX: y'],
    ['a block with a tag', '  API_TOKEN: !!str >\n    ab 12 cd\n  X: y', '  API_TOKEN: ***** *\n    ** ** **\n  X: y'],
    ['a folded text', '  DB_PASS: # mine\n    ab12cd\n    ef\n  X: y', '  DB_PASS: # mine\n    ******\n    **\n  X: y'],
    ['a text that goes on', 'API_TOKEN: ab12cd\n  ef\nX: y', 'API_TOKEN: ******\n  **\nX: y'],
    ['a quoted text', 'API_TOKEN: "ab12cd\n  ef, gh"\nX: y', 'API_TOKEN: "******\n  *** **"\nX: y'],
    ['a list', 'Authorization: [Bearer ab12cd, "efghij"]', 'Authorization: ******* ******* "******"*'],
    ['a list below', 'Authorization:\n- Bearer ab12cd\nX: y', 'Authorization:\n* ****** ******\nX: y'],
    ['an option', '  - --token\n  - ab12cd\n  - x', '  - --token\n  - ******\n  - x'],
    ['an option and a comment', '- --token # it\n\n- ab12cd\n', '- --token # it\n\n- ******\n'],
    ['an option and a block', '- --token\n- |\n  ab12cd\n- x', '- --token\n- |\n  ******\n- x'],
    ['an option and a text that goes on', '- --token\n- ab12cd\n  efg hij\n- x', '- --token\n- ******\n  *** ***\n- x'],
    ['a header in quotes', '- "X-Api-Key:\n  ab12cd,\n  efg"\n- x', '- "X-Api-Key:\n  *******\n  ***"\n- x'],
    ['a text with commas', 'API_TOKEN: ab12cd, ef [gh]\nX: y', 'API_TOKEN: ******* ** ****\nX: y'],
    ['quotes with quotes in them', "X: ['--token=ab''12, cd', x]", "X: ['--token=**''*** **', x]"],
    ['an option in JSON', '["--api-key",\n "ab12cd",\n "x"]', '["--api-key",\n "******",\n "x"]'],
    ['a key in JSON', '{ "token":\n"ab12cd", "x": "y" }', '{ "token":\n"******", "x": "y" }'],
    ['a text in TOML', "token = '''\nab12cd\n'x'''\ny = 1", "token = '''\n******\n'*'''\ny = 1"],
    ['a private key', 'x: |\n  -----BEGIN PRIVATE KEY-----\n  ab\n', 'x: |\n  ********** ******* ********\n  **\n'],
  ])('%s', (_what, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test.each([
    ['a server of such a name', 'mcp_servers:\n  github-token:\n    command: npx -y foobar\n'],
    ['a sign-in', 'auth:\n  provider: acme-corp\n'],
    ['a sign-in in JSON', '"auth": {\n  "provider": "acme-corp" }'],
    ['a reference', 'API_TOKEN:\n  secret_ref: "env:API_TOKEN"\n'],
    ['a variable', 'API_TOKEN: >-\n  ${API_TOKEN}\nX: abcdefgh'],
    ['the next key', 'command: get-token\nlog_directory: somewhere'],
    ['the next key of JSON', '{ "type": "token", "command": "something" }'],
    ['the next key of TOML', 'command = "get-token"\nfolder = "somewhere"\n[mcp_servers.other]'],
  ])('%s is none', (_what, text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

test('what is written in place of a reference is hidden, and a reference is not', () => {
  expect(maskSecrets('{ secret_ref: "ab12cd" }')).toBe('{ secret_ref: "******" }');
  expect(maskSecrets('{ secret_ref: "env:NAME" }')).toBe('{ secret_ref: "env:NAME" }');
});

test.each([
  ['names', 'API_TOKEN: \n'],
  ['blocks', 'API_TOKEN: |\n  x\n'],
  ['blocks in blocks', Array.from({ length: 2_000 }, (_, n) => `${' '.repeat(n)}API_TOKEN:\n`).join('')],
  ['addresses', '://a:b'],
  ['options', '--token\n'],
  ['quotes', 'token="\\'],
  ['keys', '-----BEGIN PRIVATE KEY-----'],
])('a text of many %s takes time in proportion to it', (_what, piece) => {
  const text = piece.repeat(Math.ceil(500_000 / piece.length));
  expect(maskSecrets(text)).toHaveLength(text.length);
});

test('keeps lines and columns of any text in place', () => {
  const word = fc.constantFrom(
    'TOKEN',
    'token',
    ': ',
    '=',
    '"',
    "'",
    ' ',
    ',',
    '{',
    '}',
    '${',
    '://',
    '@',
    'sk-',
    'a1B2c3',
    '\\',
    '--',
    '\n',
    '\n  ',
    '- ',
    '|',
    "'''",
    '#',
    '[',
    ']',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
      ),
      (line) => {
        const masked = maskSecrets(line);
        expect(masked).toHaveLength(line.length);
        expect(masked.replace(/[^\s"']/g, '*')).toBe(line.replace(/[^\s"']/g, '*'));
      },
    ),
    { numRuns: 1_000 },
  );
});
