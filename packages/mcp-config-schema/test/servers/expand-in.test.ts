// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { describe, expect, test } from 'vitest';
import { type ConfigInput, checkConfig, formatIssue } from '../../src/index.js';
import { onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

const check = (text: string, options: { file?: string; places?: ConfigInput['places'] } = {}) =>
  checkConfig({ text, file: options.file ?? 'mcp_servers.yaml', places: options.places }, { variables: { A: 'one' } });

describe('a template that cannot be expanded', () => {
  test('is reported at its position, even if repeated', () => {
    const text = 'mcp_servers:\n  a:\n    command: run ${X} "$${X} ${X}" {{rot}} ${X}\n    args: ["${A} ${X} ${X}"]\n';
    const asCommand = text.replace(/ {4}args.*\n/, '');
    expect(placesOf(check(asCommand))).toEqual([
      '3:18 unset-variable',
      '3:30 unset-variable',
      '3:36 unknown-template',
      '3:44 unset-variable',
    ]);
    expect(placesOf(check(text.replace(/command: .*/, 'command: run')))).toEqual([
      '4:18 unset-variable',
      '4:23 unset-variable',
    ]);
  });

  test('is not mistaken for the start of another one', () => {
    expect(placesOf(check('mcp_servers:\n  a:\n    command: npx "${B}" ${env:C} ${ {{root\n'))).toEqual([
      '3:19 unset-variable',
      '3:25 unset-variable',
      '3:34 invalid-value',
      '3:37 invalid-value',
    ]);
  });

  test.each([
    ['m.json', '{ "mcp_servers": { "a": { "command": ["x", "${A} \\u00e4 {{root}}"] } } }', '1:57'],
    ['m.toml', '[mcp_servers.a]\ncommand = "x"\nargs = [\'{{root}}\']\n', '3:10'],
    ['m.yaml', 'mcp_servers:\n  a:\n    command: x\n    args:\n      - |\n        1\n        {{root}}\n', '7:9'],
  ])('in %s is found inside of the value', (file, text, place) => {
    expect(placesOf(check(text, { file }))).toEqual([`${place} unset-variable`]);
  });

  test('has a suggestion', () => {
    const issue = onlyIssue(check('mcp_servers: { a: { command: ["{{A}}"] } }'));
    expect(issue).toMatchObject({ code: 'unknown-template', template: 'A', didYouMean: 'env.A' });
    expect(formatIssue(issue)).toContain('did you mean {{env.A}}?');
  });
});

describe('the message for a template that cannot be expanded', () => {
  const textWith = (value: unknown) =>
    JSON.stringify({ mcp_servers: { a: { command: 'x', env: { SETTING: value } } } });
  const issueOf = (value: string) => onlyIssue(check(textWith(value), { file: 'm.json' }));

  test.each([
    ['${secret:env:X}', 'env:X'],
    ['${secret:X}', 'env:X'],
    ['${secrets.X}', 'env:X'],
    ['${secret_ref:vault:team/x}', 'vault:team/x'],
    ['${keychain:github/ada}', 'keychain:github/ada'],
    ['${file:~/token}', 'file:~/token'],
  ])('names %s and the reference %s', (template, reference) => {
    expect(issueOf(template)).toMatchObject({
      code: 'invalid-value',
      message: `${template} cannot be expanded`,
      hint: `for a secret write { secret_ref: "${reference}" } in place of the text, in "env" or "headers"`,
    });
    expect(check(textWith({ secret_ref: reference }), { file: 'm.json' }).issues).toEqual([]);
  });

  test('names other templates with the known forms', () => {
    expect(issueOf('${A B}')).toMatchObject({
      message: '${A B} cannot be expanded',
      hint: expect.stringContaining('write ${NAME}, ${NAME:-default} or ${env:NAME}'),
    });
  });

  test('never contains what may be a secret, nor a long text', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    for (const template of [`\${a ${token}}`, `\${${'a '.repeat(100)}}`]) {
      const { issues } = check(textWith(template), { file: 'm.json' });
      const messages = issues.filter(({ code }) => code === 'invalid-value').map(({ message }) => message);
      expect(messages).toEqual(['This template cannot be expanded']);
      expect(JSON.stringify(issues)).not.toContain(template.slice(4, -1));
    }
  });
});

describe('a file of VS Code', () => {
  const text = `{ "servers": {
  "a": { "command": "\${workspaceFolder}/a", "args": ["\${userHome}/x"], "env": { "A": "\${A}" } },
  "b": { "command": "b", "env": { "TOKEN": "\${input:token}" } }
} }`;
  const files = { file: '.vscode/mcp.json', text, places: { root: '/srv/app' }, home: '/home/ada' };

  test('has additional names for the root and the home directory', () => {
    const { config } = checkConfig(files, { variables: { A: 'one' } });
    expect(config?.servers[0]).toMatchObject({ command: '/srv/app/a', args: ['/home/ada/x'], env: { A: 'one' } });
    const unknown = checkConfig({ ...files, home: undefined, places: {} }, { variables: { A: 'one' } });
    expect(placesOf(unknown)).toEqual(['2:22 unset-variable', '2:55 unset-variable', '3:45 prompted-value']);
  });

  test('loses a server with a prompt, with a warning', () => {
    const { issues, config, partial } = checkConfig(files, { variables: { A: 'one' } });
    expect(issues).toMatchObject([
      { code: 'prompted-value', severity: 'warning', input: 'token', line: 3, column: 45 },
    ]);
    for (const found of [config, partial]) expect(found?.servers.map(({ name }) => name)).toEqual(['a']);
  });

  test('is the only one with such names', () => {
    const other = text.replace('"servers"', '"mcpServers"');
    expect(
      new Set(
        checkConfig({ ...files, file: '.mcp.json', text: other }, { variables: { A: 'one' } }).issues.map(
          ({ code }) => code,
        ),
      ),
    ).toEqual(new Set(['unset-variable', 'invalid-value']));
  });
});

test('places are given per text', () => {
  const text = 'mcp_servers: { a: { command: "{{runtime.python}}", args: ["{{root}}/{{env.A}}"] } }';
  const places = { root: '/srv/a b', 'runtime.python': '/venv/bin/python' };
  expect(serverOf(check(text, { places }), 'a')).toMatchObject({
    command: '/venv/bin/python',
    args: ['/srv/a b/one'],
  });
});

describe('variables: keep', () => {
  const kept = (entry: object) =>
    serverOf(
      checkConfig({ text: JSON.stringify({ mcp_servers: { a: entry } }), file: 'm.json' }, { variables: 'keep' }),
      'a',
    );

  test('keeps references in one spelling, without values', () => {
    expect(kept({ command: 'npx -y ${env:PACKAGE}', env: { TOKEN: '{{env.TOKEN}}', PRICE: '$${' } })).toMatchObject({
      args: ['-y', '${PACKAGE}'],
      env: { TOKEN: '${TOKEN}', PRICE: '$${' },
    });
  });

  test('accepts a URL with a reference', () => {
    expect(kept({ url: '${URL}', headers: { A: 'Bearer ${TOKEN:-none}' } })).toMatchObject({
      url: '${URL}',
      headers: { A: 'Bearer ${TOKEN:-none}' },
    });
  });

  test('reads a reference to the environment as a variable, and keeps others', () => {
    const secrets = { A: { secret_ref: 'env:TOKEN' }, B: { secret_ref: 'file:~/token' } };
    expect(kept({ command: 'x', env: secrets })).toMatchObject({
      env: { A: '${TOKEN}' },
      secrets: [{ key: 'B', reference: 'file:~/token' }],
    });
  });
});

describe('values of variables', () => {
  const text = 'mcp_servers:\n  a:\n    command: run ${TOKEN} ${HOME}\n    timeout: 5 # sesame and /home/ada\n';

  test('are not printed, also if they occur in the text', () => {
    const variables = { TOKEN: 'sesame', HOME: '/home/ada' };
    const { issues, redactor } = checkConfig({ text, file: 'm.yaml' }, { variables });
    const [issue] = issues;
    if (issue === undefined) throw new Error('expected an issue');
    expect(formatIssue(issue, { text, redactor })).toContain('timeout: 5 # ****** and /home/ada');
    expect(formatIssue(issue, { text })).toContain('sesame');
  });

  test('are not printed with the result of the check', () => {
    const sound = text.replace(/ {4}timeout.*\n/, '');
    const check = checkConfig({ text: sound, file: 'm.yaml' }, { variables: { TOKEN: 'open "sesame"', HOME: '/h' } });
    expect(JSON.stringify(check.redactor)).toBe('{}');
    expect(JSON.stringify(check.redactor.redactData(check.config))).not.toContain('sesame');
    expect(check.redactor.redactData(check.config)).toMatchObject({ servers: [{ args: ['***', '/h'] }] });
  });
});

describe('secret references', () => {
  test('are separate from env and headers, with their positions', () => {
    const text =
      'mcp_servers:\n  a:\n    command: x\n    env:\n      TOKEN: { secret_ref: "file:~/token" }\n      B: c\n';
    expect(serverOf(check(text), 'a')).toMatchObject({
      env: { B: 'c' },
      secrets: [{ key: 'TOKEN', reference: 'file:~/token', source: { line: 5, column: 14 } }],
    });
    const remote = '{ "mcpServers": { "a": { "url": "https://a.b", "headers": { "X": { "secret_ref": "env:X" } } } } }';
    expect(serverOf(check(remote, { file: '.mcp.json' }), 'a')).toMatchObject({
      headers: {},
      secrets: [{ key: 'X', reference: 'env:X' }],
    });
  });

  test('are missing without references', () => {
    expect(serverOf(check('mcp_servers: { a: { command: x, env: { A: b } } }'), 'a').secrets).toBeUndefined();
  });

  test.each([
    ['{ secret_ref: TOKEN }', '1:61 invalid-value'],
    ['{ secret_ref: "env:" }', '1:61 invalid-value'],
    ['{ secret_ref: "env:A", more: 1 }', '1:70 unknown-key'],
    ['{ secretRef: "env:A" }', '1:47 invalid-value'],
    ['{}', '1:47 invalid-value'],
    ['5', '1:47 invalid-value'],
  ])('%s is rejected at its position', (value, place) => {
    const text = `mcp_servers: { a: { command: x, env: { TOKEN: ${value} } } }`;
    expect(placesOf(check(text))).toEqual([place]);
    expect(JSON.stringify(check(text).issues)).not.toContain('known keys: ""');
  });
});
