// Small texts that would take much memory or time to read, or would change more than the value.
import { describe, expect, test } from 'vitest';
import { checkText } from '../helpers/check-text.js';

const servers = (text: string) => `mcp_servers:\n  a: { command: x }\n${text}`;
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index));
/** Each line contains the anchor of the previous line ten times. */
const doublings = (line: (index: number, before: string) => string) =>
  `x0: &x0 [lol]\n${lines(12, (index) => line(index + 1, Array(10).fill(`*x${index}`).join(', '))).join('\n')}\n`;

/** File, text, and the expected issue code. */
const bombs: Readonly<Record<string, readonly [file: string, text: string, code: string]>> = {
  'YAML: aliases of aliases in lists': [
    'm.yaml',
    doublings((index, before) => `x${index}: &x${index} [${before}]`),
    'too-large',
  ],
  'YAML: aliases of aliases in mappings': [
    'm.yaml',
    `x0: &x0 {k: v}\n${lines(20, (index) => `x${index + 1}: &x${index + 1} {a: *x${index}, b: *x${index}}`).join('\n')}\n`,
    'too-large',
  ],
  'YAML: aliases of aliases in merge keys': [
    'm.yaml',
    `x0: &x0 {k: [v, v]}\n${lines(20, (index) => `x${index + 1}: &x${index + 1} {<<: *x${index}, k${index}: *x${index}}`).join('\n')}\n`,
    'too-large',
  ],
  'YAML: one long list, ten thousand times': [
    'm.yaml',
    `x: &x [${'a, '.repeat(1_000)}a]\nall: [${'*x, '.repeat(10_000)}*x]\n`,
    'too-large',
  ],
  'YAML: an alias inside its own list': ['m.yaml', 'mcp_servers: &a [*a]\n', 'syntax'],
  'YAML: an alias inside its own mapping': ['m.yaml', 'mcp_servers: &a { a: *a }\n', 'syntax'],
  'YAML: an alias as a merge key of itself': ['m.yaml', 'mcp_servers: &a { <<: *a }\n', 'syntax'],
  'YAML: two anchors inside each other': ['m.yaml', 'a: &a { b: *b }\nb: &b { a: *a }\n', 'syntax'],
  'YAML: a chain of anchors, each around the one before': [
    'm.yaml',
    `x0: &x0 [a]\n${lines(300, (index) => `x${index + 1}: &x${index + 1} [*x${index}]`).join('\n')}\n`,
    'too-deep',
  ],
  'YAML: 100,000 brackets': ['m.yaml', '['.repeat(100_000), 'too-deep'],
  'YAML: 100,000 braces': ['m.yaml', '{a: '.repeat(100_000), 'too-deep'],
  'YAML: 100,000 dashes': ['m.yaml', '- '.repeat(100_000), 'too-deep'],
  'YAML: 2,000 levels of indentation': [
    'm.yaml',
    lines(2_000, (index) => `${' '.repeat(index)}a:`).join('\n'),
    'too-deep',
  ],
  'YAML: 100,000 explicit keys': ['m.yaml', '? '.repeat(100_000), 'too-deep'],
  'YAML: more than 5,000,000 bytes': ['m.yaml', servers(`# ${'x'.repeat(5_000_000)}`), 'too-large'],
  'YAML: more than 2,000,000 parts': ['m.yaml', '\n'.repeat(4_000_000), 'too-large'],
  'YAML: a tag that makes a function': ['m.yaml', servers('  b: !!js/function "function () {}"\n'), 'syntax'],
  'YAML: a tag that makes an object': ['m.yaml', servers('  b: !!python/object/apply:os.system ["true"]\n'), 'syntax'],
  'YAML: a tag that includes a file': ['m.yaml', servers('  b: !include /etc/passwd\n'), 'syntax'],
  'YAML: a tag by its directive': ['m.yaml', '%TAG ! tag:example.org,2026:\n---\nmcp_servers: !x {}\n', 'syntax'],
  'YAML: __proto__': ['m.yaml', servers('  __proto__: { polluted: true }\n'), 'forbidden-key'],
  'YAML: __proto__ in a merge key': [
    'm.yaml',
    servers('  b: { <<: { __proto__: { polluted: true } } }\n'),
    'forbidden-key',
  ],
  'YAML: __proto__ as an escape': ['m.yaml', servers('  "\\x5f_proto__": { polluted: true }\n'), 'forbidden-key'],
  'YAML: a key by an alias': ['m.yaml', 'x: &x __proto__\nmcp_servers: { *x : { polluted: true } }\n', 'syntax'],
  'YAML: constructor': ['m.yaml', servers('  constructor: { prototype: { polluted: true } }\n'), 'forbidden-key'],
  'YAML: 20,000 times the same key': ['m.yaml', `mcp_servers:\n${'  a: 1\n'.repeat(20_000)}`, 'duplicate-key'],
  'JSON: 100,000 brackets': ['.mcp.json', '['.repeat(100_000), 'too-deep'],
  'JSON: 100,000 braces': ['.mcp.json', '{"a":'.repeat(100_000), 'too-deep'],
  'JSON: more than 5,000,000 bytes': ['.mcp.json', `{ "mcpServers": {} }${' '.repeat(5_000_000)}`, 'too-large'],
  'JSON: __proto__': ['.mcp.json', '{ "mcpServers": { "__proto__": { "polluted": true } } }', 'forbidden-key'],
  'JSON: __proto__ as an escape': [
    '.mcp.json',
    '{ "mcpServers": { "\\u005f_proto__": { "polluted": true } } }',
    'forbidden-key',
  ],
  'JSON: 20,000 times the same key': ['.mcp.json', `{ "mcpServers": {${'"a": {},'.repeat(20_000)}} }`, 'duplicate-key'],
  'TOML: 100,000 brackets': ['m.toml', `a = ${'['.repeat(100_000)}`, 'too-deep'],
  'TOML: 100,000 braces': ['m.toml', `a = ${'{ a = '.repeat(100_000)}`, 'too-deep'],
  'TOML: a key of 100,000 parts': ['m.toml', `a${'.a'.repeat(100_000)} = 1\n`, 'too-deep'],
  'TOML: a table of 100,000 parts': ['m.toml', `[a${'.a'.repeat(100_000)}]\n`, 'too-deep'],
  'TOML: more than 500,000 parts': ['m.toml', `a = [${'1,'.repeat(600_000)}1]\n`, 'too-large'],
  'TOML: __proto__': ['m.toml', '[mcp_servers.__proto__]\npolluted = true\n', 'forbidden-key'],
  'TOML: __proto__ in a dotted key': ['m.toml', 'mcp_servers.a."__proto__".polluted = true\n', 'forbidden-key'],
  'TOML: 20,000 times the same key': ['m.toml', '[mcp_servers.a]\n'.repeat(20_000), 'duplicate-key'],
};

test('has 40 texts', () => {
  expect(Object.keys(bombs).length).toBe(40);
});

describe('a malicious text is an issue with a position', () => {
  test.each(Object.entries(bombs))('%s', (_name, [file, text, code]) => {
    const { issues, config } = checkText(text, file);
    expect(issues.map((issue) => issue.code)).toContain(code);
    for (const { line, column } of issues) expect(Math.min(line ?? 0, column ?? 0)).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(1_001);
    expect(config).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
