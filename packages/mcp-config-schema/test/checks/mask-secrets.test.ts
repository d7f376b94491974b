// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskSecrets } from '../../src/checks/mask-secrets.js';

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
  [`token: ${'ab'.repeat(400)}, x: y`, `token: ${'**'.repeat(400)}, x: y`],
  ['  TOKEN: ${TOKEN}', '  TOKEN: ${TOKEN}'],
  ['MAX_TOKENS: 10000000', 'MAX_TOKENS: 10000000'],
  ['command: npx -y @example/server --root /srv/data', 'command: npx -y @example/server --root /srv/data'],
])('%s', (line, masked) => {
  expect(maskSecrets(line)).toBe(masked);
});

test('columns stay where they are, whatever the line', () => {
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
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
      ),
      (line) => {
        expect(maskSecrets(line)).toHaveLength(line.length);
      },
    ),
    { numRuns: 1_000 },
  );
});
