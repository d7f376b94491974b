// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type ConfigIssue, checkConfig, formatIssue } from '../src/index.js';
import { issuesToJson, toSarif } from '../src/report.js';

const issue: ConfigIssue = {
  code: 'unknown-key',
  severity: 'error',
  message: '"b" is not a key of a',
  key: 'b',
  file: 'm.yaml',
  line: 12,
  column: 3,
  path: ['a', 'b'],
  hint: 'did you mean "c"?',
};

test('an issue without its text is one line and the hint', () => {
  expect(formatIssue(issue)).toBe('m.yaml:12:3 error unknown-key "b" is not a key of a\nhint: did you mean "c"?');
  expect(formatIssue({ ...issue, file: undefined, hint: undefined })).toBe(
    '12:3 error unknown-key "b" is not a key of a',
  );
});

test('with the text, the lines before the position are shown and a caret marks the column', () => {
  const text = `\uFEFF${'\n'.repeat(8)}first\r\nsecond\r\n\r\n\tb: x\r\nafter\r\n`;
  expect(formatIssue({ ...issue, column: 2 }, { text })).toBe(
    [
      'm.yaml:12:2 error unknown-key "b" is not a key of a',
      '  10 | second',
      '  11 |',
      '> 12 |  b: x',
      '     |  ^',
      'hint: did you mean "c"?',
    ].join('\n'),
  );
});

test('a long line is cut around the position', () => {
  const text = `${'-'.repeat(5_000)}X${'-'.repeat(5_000)}`;
  const [, shown = '', caret = ''] = formatIssue({ ...issue, line: 1, column: 5_001 }, { text }).split('\n');
  expect(shown.length).toBeLessThan(140);
  expect(shown[caret.indexOf('^')]).toBe('X');
});

describe('no output contains a secret, on any line', () => {
  const secret = 'hunter2S3cretValue';
  const yaml = (lines: string) => `mcp_servers:\n  a:\n    command: x\n${lines}`;
  const unset = '      X: ${UNSET}\n';
  test.each([
    ['an item of a list', yaml(`    args:\n      - --token\n      - ${secret}\n      - \${UNSET}\n`)],
    ['a block of text', yaml(`    env:\n      API_TOKEN: |\n        ${secret}\n${unset}`)],
    ['a block in a list', yaml(`    args:\n      - --token\n      - |-\n        ${secret}\n      - \${UNSET}\n`)],
    ['a folded text', yaml(`    env:\n      API_TOKEN:\n        ${secret}\n${unset}`)],
    ['a text in two halves', yaml(`    env:\n      API_TOKEN: "${secret}\n        ${secret}"\n${unset}`)],
    ['a text without a name', yaml(`    env:\n      API_TOKEN: ${secret}\n      COPY: ${secret}\n${unset}`)],
    ['an anchor', yaml(`    env:\n      API_TOKEN: &t ${secret}\n      COPY: *t\n${unset}`)],
    ['a header that is a list', yaml(`    headers:\n      Authorization: [Bearer ${secret}]\n`)],
    ['a header with a list below', yaml(`    headers:\n      Authorization:\n        - Bearer ${secret}\n`)],
    ['a command line', yaml('').replace('x\n', `>\n      x --token\n      ${secret} \${UNSET}\n`)],
    ['JSON', `{"mcpServers":{"a":{"command":"x","args":[\n"--api-key",\n"${secret}",\n"\${UNSET}"]}}}`],
    ['broken YAML', yaml(`    env:\n      API_TOKEN: |\n        ${secret}\n    - x\n`)],
    ['broken JSON', `{"mcpServers":{"a":{"env":{"API_TOKEN":\n"${secret}"\n"X":"y"}}}}`],
    ['a value that is a key too', yaml(`    ${secret}: 1\n    env:\n      API_TOKEN: ${secret}\n`)],
    ['a rule', yaml(`    env: { API_TOKEN: ${secret} }\n    allowed_tools: ["*", ${secret}]\n`)],
    ['a template', yaml(`    env: { API_TOKEN: ${secret} }\n    cwd: "{{${secret}}}"\n`)],
    ['a URL', yaml('').replace('command: x', `url: "https://a:${secret}@x.example/?q=\${UNSET}"`)],
    ['a place of a reference', yaml(`    env:\n      A: { secret_ref: "${secret}" }\n`)],
  ])('%s', (_what, text) => {
    const file = text.startsWith('{') ? 'm.json' : 'm.yaml';
    const { issues, redactor } = checkConfig({ text, file });
    expect(issues.length).toBeGreaterThan(0);
    // For a value that is also a name, the path reveals no more than the position.
    const printed = [
      ...issues.map((found) => formatIssue(found, { text, redactor })),
      ...issues.map(({ message, hint }) => `${message} ${hint}`),
      JSON.stringify(redactor.redactData(issuesToJson(issues))),
      JSON.stringify(toSarif(issues)),
    ];
    expect(printed.join('\n')).not.toMatch(/hunter2|S3cret|cretValue/);
  });

  test('in any YAML style', () => {
    const word = fc.stringMatching(/^q[a-z2-9]{7,20}$/);
    const value = fc.array(word, { minLength: 1, maxLength: 3 });
    const separator = fc.constantFrom(' ', '-', '\n', '\n\n', '  ', '/', ': ', ', ', '"', "'", ' # ');
    const style = fc.record({
      lineWidth: fc.constantFrom(0, 20, 40, 80),
      blockQuote: fc.constantFrom(true, false, 'folded' as const, 'literal' as const),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const, 'block' as const),
      indentSeq: fc.boolean(),
    });
    fc.assert(
      fc.property(
        value,
        value,
        value,
        separator,
        style,
        (variable, option, header, joint, { defaultStringType, ...style }) => {
          const env = { API_TOKEN: variable.join(joint), A: '${UNSET}' };
          const args = ['--token', option.join(joint), '${UNSET}', '--header', `X-Api-Key: ${header.join('-')}`];
          const data = { mcp_servers: { a: { command: 'x', args, env, misspelt: 1 } } };
          const text = stringify(data, { ...style, defaultStringType: defaultStringType as 'PLAIN' });
          const { issues, redactor } = checkConfig({ text, file: 'm.yaml' });
          expect(issues.map(({ code }) => code)).toContain('unset-variable');
          const printed = issues.map((found) => formatIssue(found, { text, redactor })).join('\n');
          for (const secret of [...variable, ...option, ...header]) expect(printed).not.toContain(secret);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the shown lines are safe without the redactor if the name precedes the value', () => {
    const text = yaml(
      `    args: [--token,\n      ${secret},\n      "\${UNSET}"]\n    env:\n      K_TOKEN: >-\n        ${secret}\n${unset}`,
    );
    const printed = checkConfig({ text })
      .issues.map((found) => formatIssue(found, { text }))
      .join('\n');
    expect(printed).toContain('******************');
    expect(printed).not.toContain('hunter2');
  });

  test('a server with the name of a password keeps its name', () => {
    const text = 'mcp_servers:\n  postgres:\n    command: x\n    env:\n      DB_PASSWORD: postgres\n';
    const { issues, redactor } = checkConfig({ text });
    expect(issues.map((found) => formatIssue(found, { text, redactor }))[0]).toContain(
      'mcp_servers.postgres.env.DB_PASSWORD contains a secret in plain text\n  3 |     command: x\n  4 |     env:\n> 5 |       DB_PASSWORD: ********',
    );
  });
});

test('no field of an issue contains a secret that is also a name', () => {
  const servers = 'mcp_servers: { a: { command: x, env: { API_TOKEN: hunter2S3cret } } }\n';
  const roles = [
    'hunter2S3cret: { allowed_tools: [], default: true, inherits: [hunter2S3cret] }',
    'other: { allowed_tools: [], default: true }',
  ];
  const tools = `tools:\n  t:\n    role_restrictions:\n      ${roles.join('\n      ')}\n`;
  const { issues } = checkConfig([
    { text: servers, file: 'm.yaml' },
    { text: tools, file: 't.yaml' },
  ]);
  expect(issues.map(({ code }) => code)).toEqual(['inline-secret', 'circular-roles', 'second-default']);
  expect(JSON.stringify(issues.map(({ path: _, ...issue }) => issue))).not.toContain('hunter2');
});

test('one line with thousands of issues is printed quickly', () => {
  const values = Array.from({ length: 5_000 }, (_, n) => `"K${n}_TOKEN":"hunter2S3cret${n}"`).join(',');
  const text = `{"mcp_servers":{"a":{"command":"x","env":{${values}}}}}`;
  const { issues, redactor } = checkConfig({ text, file: 'm.json' });
  expect(issues).toHaveLength(1_001);
  for (const found of issues) expect(formatIssue(found, { text, redactor })).not.toContain('hunter2');
});

test('output never contains control characters of a source', () => {
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b[31m', '\u202E', '\u009B31m', '\u0007'));
  const text = name.map((key) => JSON.stringify({ mcp_servers: { a: { [key]: 1, command: 'x' }, [key]: 5 } }));
  fc.assert(
    fc.property(text, fc.constantFrom('m.json', 'm\u001b.yaml'), (source, file) => {
      for (const found of checkConfig({ text: source, file }).issues) {
        expect(found.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(formatIssue(found, { text: `\u001b[2J${source}` }).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }),
  );
});
