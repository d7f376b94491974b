// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../src/index.js';
import { checkText, onlyIssue, placesOf } from './helpers/check-text.js';

describe('a damaged text is never read as a smaller one', () => {
  test.each([
    ['an empty file', 'mcp.json', '', '1:1 empty-file'],
    ['a truncated JSON', 'mcp.json', '{ "mcpServers": { "a": {', '1:25 syntax'],
    ['JSON with stale bytes after it', 'mcp.json', '{ "mcpServers": {} }\n"a": 1 }', '2:1 syntax'],
    ['a truncated YAML', 'm.yaml', 'mcp_servers:\n  a: { command: "x', '2:19 syntax'],
    ['zeros, as after a crash of the system', 'm.yaml', '\0'.repeat(100), '1:1 unrecognised-file'],
  ])('%s is reported with line and column', (_what, file, text, place) => {
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
  ])('%s is not damage', (_what, text, file) => {
    const { issues, config } = checkText(text, file);
    expect(issues).toEqual([]);
    expect(config?.servers).toMatchObject([{ name: 'a', command: 'x' }]);
  });
});

test('a wrong type, or both command and url: the error has the path, and other servers remain', () => {
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

describe('placeholders', () => {
  const text = `mcp_servers:
  a: { command: x, env: { TOKEN: "\${TOKEN}" } }
  b: { command: x, args: ["--key", "\${KEY}", "\${LOOP}"] }
`;

  test('of a missing secret are an error of their server only', () => {
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

describe('limits', () => {
  const many = (length: number) =>
    `mcp_servers:\n${Array.from({ length }, (_, n) => `  s${n}: { command: x }\n`).join('')}`;

  test('10,000 servers are read, and one more is too many', () => {
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

  test('a text of 50 MB is rejected by its size', () => {
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
  ])('a depth of 1,000 is rejected in %s', (file, text) => {
    expect(onlyIssue(checkText(text, file))).toMatchObject({ code: 'too-deep', limit: 100 });
  });
});

describe('a text full of faults', () => {
  const unset = (count: number) => `mcp_servers:\n  a: { command: "${'${A} '.repeat(count)}x" }\n  b: { command: x }\n`;

  test('lists at most 1,000 errors and one issue with the number of others', () => {
    expect(checkText(unset(1_000)).issues.map(({ code }) => code)).toEqual(Array(1_000).fill('unset-variable'));
    const { issues, config, partial } = checkText(unset(5_000));
    expect(issues).toHaveLength(1_001);
    expect(issues.at(-1)).toEqual({
      code: 'too-many-issues',
      severity: 'error',
      message: 'There are 4000 more issues in this text than are listed',
      hint: 'correct the listed issues and check again',
      limit: 1_000,
      more: 4_000,
      file: 'mcp_servers.yaml',
      line: 2,
      column: issues[999]?.column,
      path: [],
    });
    expect(config).toBeUndefined();
    expect(partial?.servers).toMatchObject([{ name: 'b' }]);
  });

  test('also loses entries whose error is not listed', () => {
    const text = `${unset(1_000)}  c: { command: "\${C}" }\n`;
    expect(checkText(text).partial?.servers.map(({ name }) => name)).toEqual(['b']);
  });

  test('lists as many warnings next to its errors, and warnings never prevent a config', () => {
    const entries = Array.from({ length: 2_000 }, (_, n) => `  s${n}: { command: x, headers: { A: b } }\n`).join('');
    const { issues, config } = checkText(`mcp_servers:\n${entries}`);
    expect(issues.at(-1)).toMatchObject({ code: 'too-many-issues', severity: 'warning', more: 1_000 });
    expect(config?.servers).toHaveLength(2_000);
    const both = checkText(`mcp_servers:\n${entries}  a: { command: "\${A}" }\n`);
    expect(both.issues.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'unset-variable' }]);
  });

  test('is not read if it is untrusted, even if that is found late', () => {
    const keys = Array.from({ length: 1_500 }, () => '  a: { command: x }\n').join('');
    expect(checkText(`mcp_servers:\n${keys}  b: !unknown x\n  c: { command: x }\n`).partial).toBeUndefined();
    const deep = `  b: ${'{ c: '.repeat(99)}x${' }'.repeat(99)}\n`;
    expect(checkText(`mcp_servers:\n${keys}${deep}`).partial).toBeUndefined();
  });

  test.each([
    ['templates without an end', '{{env.', 60_000],
    ['variables that are not set', '${A} ', 100_000],
    ['variables with defaults that hold templates', '${A:-${B}} ', 100_000],
    ['unknown templates', '{{nope}} ', 100_000],
    ['words with unset variables', "'${A}' ", 100_000],
  ])('takes time proportional to its length: %s', (_what, piece, count) => {
    const line = JSON.stringify(`${piece.repeat(count)}x`);
    for (const members of [`"command":${line}`, `"command":"x","args":[${line}]`]) {
      const { issues } = checkText(`{"mcp_servers":{"a":{${members}}}}`, 'm.json');
      expect(issues.at(-1)?.code).toBe('too-many-issues');
    }
  });

  test.each([
    ['unknown keys', Array.from({ length: 15_000 }, (_, n) => `"k${n}":1`).join(',')],
    ['wrong values', `"env":{${Array.from({ length: 15_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
    ['list items', `"args":[${Array(15_000).fill(1).join(',')}]`],
    ['repeated keys', Array(200_000).fill('"a":1').join(',')],
    ['forbidden keys', Array(200_000).fill('"__proto__":1').join(',')],
    ['unset variables', `"args":[${Array(15_000).fill('"${A}"').join(',')}]`],
  ])('takes time proportional to its length: %s', (_what, members) => {
    const { issues } = checkText(`{"mcp_servers":{"a":{"command":"x",${members}}}}`, 'm.json');
    expect(issues.at(-1)?.code).toBe('too-many-issues');
  });

  test('is checked completely even if every entry has many', () => {
    const wrong = Array(15).fill(1).join(',');
    const entries = Array.from({ length: 9_999 }, (_, n) => `"s${n}":{"command":"x","tags":[${wrong}]}`).join(',');
    const { issues, partial } = checkText(`{"mcp_servers":{${entries},"last":{"command":"x"}}}`, 'm.json');
    expect(issues.at(-1)).toMatchObject({ code: 'too-many-issues', more: 148_985 });
    expect(partial?.servers.map(({ name }) => name)).toEqual(['last']);
  });
});

describe('an entry of more than 20,000 values is rejected', () => {
  test.each([
    ['a list', `"args":[${Array(300_000).fill(1).join(',')}]`],
    ['a mapping', `"env":{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
    ['values inside one another', `"health_check":{"args":{"a":[${Array(10_000).fill('[1]').join(',')}]}}`],
  ])('%s', (_what, members) => {
    const text = `{"mcp_servers":{"a":{"command":"x",${members}},"b":{"command":"x"}}}`;
    const check = checkText(text, 'm.json');
    expect(onlyIssue(check)).toMatchObject({
      code: 'too-large',
      limit: 20_000,
      unit: 'parts',
      path: ['mcp_servers', 'a'],
      message: 'mcp_servers.a holds more than 20000 values',
    });
    expect(check.partial?.servers.map(({ name }) => name)).toEqual(['b']);
  });

  test('a text of more than 10,000 tools is rejected, too', () => {
    const tools = Array.from({ length: 10_001 }, (_, n) => `"t${n}":{}`).join(',');
    expect(onlyIssue(checkText(`{"tools":{${tools}}}`, 'tools.json'))).toMatchObject({
      code: 'too-large',
      limit: 10_000,
    });
  });
});
