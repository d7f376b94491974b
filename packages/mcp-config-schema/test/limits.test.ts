// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../src/index.js';
import { checkText, onlyIssue, placesOf } from './helpers/check-text.js';

describe('CFG-01: a text that is damaged is never read as less than it was', () => {
  test.each([
    ['an empty file', 'mcp.json', '', '1:1 empty-file'],
    ['a truncated JSON', 'mcp.json', '{ "mcpServers": { "a": {', '1:25 syntax'],
    ['JSON with stale bytes after it', 'mcp.json', '{ "mcpServers": {} }\n"a": 1 }', '2:1 syntax'],
    ['a truncated YAML', 'm.yaml', 'mcp_servers:\n  a: { command: "x', '2:19 syntax'],
    ['zeros, as after a crash of the system', 'm.yaml', '\0'.repeat(100), '1:1 unrecognised-file'],
  ])('%s is reported with its line and column', (_what, file, text, place) => {
    const check = checkText(text, file);
    expect(placesOf(check)).toContain(place);
    expect(check.config).toBeUndefined();
    expect(check.partial).toBeUndefined();
  });

  test.each([
    ['a byte order mark', '\uFEFFmcp_servers:\n  a: { command: x }\n', 'm.yaml'],
    ['Windows line ends', 'mcp_servers:\r\n  a: { command: x }\r\n', 'm.yaml'],
    [
      'comments and trailing commas',
      '{ // servers\n  "mcpServers": { "a": { "command": "x", }, }, /* end */ }',
      'mcp.json',
    ],
    ['both, in JSON', '\uFEFF{\r\n  "mcpServers": { "a": { "command": "x" } }\r\n}', 'mcp.json'],
  ])('%s is no damage', (_what, text, file) => {
    const { issues, config } = checkText(text, file);
    expect(issues).toEqual([]);
    expect(config?.servers).toMatchObject([{ name: 'a', command: 'x' }]);
  });
});

test('CFG-13: a field of the wrong type, both command and url: the error names the path, and other servers are left', () => {
  const text = `mcp_servers:
  typed: { command: x, auto_start: 5 }
  both: { command: x, url: "https://x.example" }
  good: { command: x }
`;
  const { issues, config, partial } = checkText(text);
  expect(issues).toMatchObject([
    { code: 'invalid-value', path: ['mcp_servers', 'typed', 'auto_start'] },
    { code: 'command-and-url', path: ['mcp_servers', 'both', 'url'] },
  ]);
  expect(config).toBeUndefined();
  expect(partial?.servers.map(({ name }) => name)).toEqual(['good']);
});

describe('CFG-14: placeholders', () => {
  const text = `mcp_servers:
  a: { command: x, env: { TOKEN: "\${TOKEN}" } }
  b: { command: x, args: ["--key", "\${KEY}", "\${LOOP}"] }
`;

  test('of a secret that is missing are an error of their server alone', () => {
    const { issues, partial } = checkText(text, 'm.yaml', { variables: { TOKEN: 'sesame-open' } });
    expect(issues).toMatchObject([
      { code: 'unset-variable', variable: 'KEY', line: 3, column: 37 },
      { code: 'unset-variable', variable: 'LOOP', line: 3 },
    ]);
    expect(partial?.servers).toMatchObject([{ name: 'a', env: { TOKEN: 'sesame-open' } }]);
    expect(JSON.stringify(issues)).not.toContain('sesame');
  });

  test('in a value are not expanded again', () => {
    const variables = { TOKEN: '${KEY}', KEY: '${LOOP}', LOOP: '${LOOP}' };
    const { issues, config } = checkText(text, 'm.yaml', { variables });
    expect(issues).toEqual([]);
    expect(config?.servers).toMatchObject([{ env: { TOKEN: '${KEY}' } }, { args: ['--key', '${LOOP}', '${LOOP}'] }]);
  });
});

describe('CFG-16: limits', () => {
  const many = (length: number) =>
    `mcp_servers:\n${Array.from({ length }, (_, n) => `  s${n}: { command: x }\n`).join('')}`;

  test('10,000 servers are read, one more is too many', () => {
    expect(checkText(many(10_000)).config?.servers).toHaveLength(10_000);
    expect(onlyIssue(checkText(many(10_001)))).toMatchObject({ code: 'too-many-servers', limit: 10_000 });
  });

  test('servers of all layers count together', () => {
    const part = many(6_000);
    const other = part.replaceAll('  s', '  t');
    expect(onlyIssue(checkConfig([{ text: part }, { text: other, layer: 'user' }]))).toMatchObject({
      code: 'too-many-servers',
    });
    expect(checkConfig([{ text: part }, { text: part, layer: 'user' }]).config?.servers).toHaveLength(6_000);
  });

  test('a text of 50 MB is refused by its size', () => {
    const text = `# ${'x'.repeat(50_000_000)}`;
    for (const file of ['m.yaml', 'm.json', 'm.toml']) {
      expect(onlyIssue(checkText(text, file))).toMatchObject({ code: 'too-large', limit: 5_000_000, unit: 'bytes' });
    }
  });

  test.each([
    ['m.yaml', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['m.yaml', Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}a:\n`).join('')],
    ['m.json', `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`],
    ['m.toml', `a = ${'['.repeat(1_000)}${']'.repeat(1_000)}`],
  ])('a depth of 1,000 is refused in %s', (file, text) => {
    expect(onlyIssue(checkText(text, file))).toMatchObject({ code: 'too-deep', limit: 100 });
  });
});
