// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import fc from 'fast-check';
import { quote } from 'shlex';
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/parse-config.js';
import { checkText, onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

const launch = (entry: object, variables: Record<string, string> = {}) => {
  const text = JSON.stringify({ mcp_servers: { a: entry } });
  return serverOf(checkText(text, 'm.json', { variables }), 'a');
};

describe('command', () => {
  test.each([
    ['npx -y "a b"', ['npx', '-y', 'a b']],
    ['sh -c \'echo "$HOME" | wc; ls *\'', ['sh', '-c', 'echo "$HOME" | wc; ls *']],
    ['a\\ b c', ['a b', 'c']],
    ['it\'\'s a"b"c', ['its', 'abc']],
    ['a "" b', ['a', '', 'b']],
    ['a\n  b\tc', ['a', 'b', 'c']],
    ['a && b > c # d', ['a', '&&', 'b', '>', 'c', '#', 'd']],
    ['a `id` $(id) $HOME', ['a', '`id`', '$(id)', '$HOME']],
    ['/opt/My\\ Tools/server --url http://x/?a=1&b=2', ['/opt/My Tools/server', '--url', 'http://x/?a=1&b=2']],
  ])('%j is split like a shell, without expansion', (command, [program, ...args]) => {
    expect(launch({ command })).toMatchObject({ command: program, args });
  });

  test('any words survive quoting and splitting', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[\0]|\$\{/.test(text) && text.trim() !== '');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const [command, ...args] = words;
        expect(launch({ command: words.map(quote).join(' ') })).toMatchObject({ command, args });
      }),
    );
  });

  test('with args or as a list it is not split', () => {
    expect(launch({ command: '/opt/My Tools/a', args: ['b c'] })).toMatchObject({
      command: '/opt/My Tools/a',
      args: ['b c'],
    });
    expect(launch({ command: 'a b', args: [] })).toMatchObject({ command: 'a b', args: [] });
    expect(launch({ command: ['a b', "'c"], args: ['d'] })).toMatchObject({ command: 'a b', args: ["'c", 'd'] });
  });

  test('in a file of a host app it is always the program', () => {
    const check = checkText('{ "mcpServers": { "a": { "command": "C:\\\\My Tools\\\\a.exe" } } }', 'mcp.json');
    expect(serverOf(check, 'a')).toMatchObject({ command: 'C:\\My Tools\\a.exe', args: [] });
  });

  test.each([
    ['{ command: "a \'b" }', '1:30 invalid-value'],
    ['{ command: "a b\\\\" }', '1:30 invalid-value'],
    ['{ command: " " }', '1:30 invalid-value'],
    ['{ command: "\'\'" }', '1:30 invalid-value'],
    ['{ command: [] }', '1:30 invalid-value'],
    ['{ command: "${EMPTY:-}" }', '1:30 invalid-value'],
    ['{ command: "a\\0b" }', '1:30 invalid-value'],
    ['{ command: ["a", 5] }', '1:30 invalid-value'],
  ])('%s is rejected', (entry, place) => {
    expect(placesOf(checkText(`mcp_servers: { a: ${entry} }`))).toEqual([place]);
  });
});

describe('templates', () => {
  const variables = { ROOT: '/srv/a b', TOKEN: "it's ${ROOT}", HOST: 'example.com' };

  test('are expanded after the command is split, so a value never becomes two words', () => {
    expect(launch({ command: 'npx -y ${ROOT}/x "${ROOT}"' }, variables)).toMatchObject({
      args: ['-y', '/srv/a b/x', '/srv/a b'],
    });
  });

  test('are expanded in args, env, cwd, url and headers, once', () => {
    expect(
      launch({ command: ['${ROOT}/a', '$${ROOT}'], env: { A: '${TOKEN}' }, cwd: '${ROOT}' }, variables),
    ).toMatchObject({
      command: '/srv/a b/a',
      args: ['${ROOT}'],
      env: { A: "it's ${ROOT}" },
      cwd: '/srv/a b',
    });
    expect(launch({ url: 'https://${HOST}/mcp', headers: { A: 'Bearer ${env:TOKEN}' } }, variables)).toMatchObject({
      url: 'https://example.com/mcp',
      headers: { A: "Bearer it's ${ROOT}" },
    });
  });

  test('are reported at their position if they cannot be expanded', () => {
    const text = `mcp_servers:
  a:
    command: npx -y "\${ONE}" \${TWO:-x y}
    env: { KEY: "abc \${THREE}" }
  b:
    url: https://\${FOUR}/\${input:token}
`;
    expect(checkText(text).issues).toMatchObject([
      { line: 3, column: 22, code: 'unset-variable', variable: 'ONE' },
      { line: 3, column: 30, code: 'invalid-value' },
      { line: 4, column: 22, code: 'unset-variable', variable: 'THREE' },
      { line: 6, column: 18, code: 'unset-variable', variable: 'FOUR' },
      { line: 6, column: 26, code: 'invalid-value' },
    ]);
  });
});

describe('an unset variable of a disabled entry', () => {
  const found = (fields: object) =>
    checkText(JSON.stringify({ mcp_servers: { a: { disabled: true, ...fields }, b: { command: 'y' } } }));

  test.each([
    { command: ['x', '${TOKEN}'] },
    { command: 'x --token ${TOKEN}' },
    { command: 'x', env: { TOKEN: '${TOKEN}' } },
    { command: 'x', cwd: '/srv/${TOKEN}' },
    { url: 'https://example.com', headers: { Authorization: 'Bearer ${TOKEN}' } },
  ])('is a warning, and the text stays as written: %j', (fields) => {
    const check = found(fields);
    expect(check.issues).toMatchObject([{ code: 'unset-variable', severity: 'warning', variable: 'TOKEN' }]);
    const server = serverOf(check, 'a');
    expect(server.disabled).toBe(true);
    expect(JSON.stringify(server)).toContain('${TOKEN}');
  });

  test('is a warning as a part of the url, too', () => {
    const check = found({ url: 'https://example.com/${TOKEN}', headers: { A: '${OTHER}' } });
    expect(check.issues.map(({ severity, code }) => `${severity} ${code}`)).toEqual(
      Array(2).fill('warning unset-variable'),
    );
    expect(serverOf(check, 'a')).toMatchObject({ disabled: true, unsetVariables: ['TOKEN', 'OTHER'] });
  });

  test('hides no other fault, and is an error without "disabled"', () => {
    expect(found({ command: 'x', args: ['${TOKEN}', '{{rot}}'] }).config).toBeUndefined();
    const on = found({ command: 'x', args: ['${TOKEN}'], disabled: false });
    expect(on.issues).toMatchObject([{ code: 'unset-variable', severity: 'error' }]);
  });
});

describe('with unsetVariables: "warning"', () => {
  const check = (entries: object) =>
    checkConfig(
      { text: JSON.stringify({ mcp_servers: entries }) },
      { variables: { SET: 'x' }, unsetVariables: 'warning' },
    );

  test.each([
    [{ command: ['x', '${TOKEN}', '${TOKEN}'] }, ['TOKEN']],
    [{ command: 'x ${A} ${SET} ${B:-b}', env: { TOKEN: '${B}' } }, ['A', 'B']],
    [{ command: '${COMMAND}', cwd: '${FOLDER}' }, ['COMMAND', 'FOLDER']],
    [{ url: '${URL}', headers: { Authorization: 'Bearer ${TOKEN}' } }, ['URL', 'TOKEN']],
    [{ command: '{{runtime.python}} -m x' }, ['runtime.python']],
  ])('a server with unset variables stays and names them: %j', (entry, unsetVariables) => {
    const { config, issues } = check({ a: entry, b: { command: 'y' } });
    expect(new Set(issues.map(({ severity, code }) => `${severity} ${code}`))).toEqual(
      new Set(['warning unset-variable']),
    );
    expect(config?.servers).toMatchObject([{ name: 'a', unsetVariables }, { name: 'b' }]);
    expect(config?.servers[1]).not.toHaveProperty('unsetVariables');
  });

  test('another fault of the entry still makes the config invalid', () => {
    for (const entry of [
      { command: 'x ${TOKEN}', args: 7 },
      { command: 'x ${TOKEN} {{rot}}' },
      { url: 'ftp://${TOKEN}', eager: 1 },
    ]) {
      expect(check({ a: entry }).config).toBeUndefined();
    }
  });
});

describe('url and headers', () => {
  test.each(['nowhere', 'ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)'])('%s is rejected', (url) => {
    expect(onlyIssue(checkText(JSON.stringify({ mcp_servers: { a: { url } } })))).toMatchObject({
      code: 'invalid-value',
    });
  });

  test('a NUL character from a variable in a url is rejected', () => {
    const text = 'mcp_servers: { a: { url: "https://example.com/${KEY}" } }';
    const check = checkText(text, 'm.yaml', { variables: { KEY: 'x\0' } });
    expect(placesOf(check)).toEqual(['1:26 invalid-value']);
  });

  test('a header with a line end is rejected without its value', () => {
    const text = 'mcp_servers: { a: { url: "https://example.com", headers: { A: "${SECRET}" } } }';
    const issue = onlyIssue(checkText(text, 'm.yaml', { variables: { SECRET: 'hunter2\n' } }));
    expect(issue).toMatchObject({ code: 'invalid-value', path: ['mcp_servers', 'a', 'headers', 'A'] });
    expect(JSON.stringify(issue)).not.toContain('hunter2');
  });

  test('an invalid header name is rejected', () => {
    const text = 'mcp_servers: { a: { url: "https://example.com", headers: { "A B": x } } }';
    expect(placesOf(checkText(text))).toEqual(['1:60 invalid-value']);
  });
});

describe('entries of host apps', () => {
  const host = (entry: object) => checkText(JSON.stringify({ mcpServers: { a: entry } }), 'mcp.json');

  test('may have keys of the host', () => {
    expect(serverOf(host({ command: 'x', alwaysAllow: ['y'], timeout: 5 }), 'a')).not.toHaveProperty('alwaysAllow');
  });

  test('start automatically unless disabled', () => {
    expect(serverOf(host({ command: 'x' }), 'a').autoStart).toBe(true);
    expect(serverOf(host({ command: 'x', disabled: false }), 'a').autoStart).toBe(true);
    expect(serverOf(host({ command: 'x', disabled: true }), 'a').autoStart).toBe(false);
  });

  test.each(['http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http'])(
    'of type %s have a url',
    (type) => {
      expect(serverOf(host({ type, url: 'https://example.com/mcp' }), 'a')).toMatchObject({ transport: 'http' });
      expect(onlyIssue(host({ type }))).toMatchObject({ code: 'missing-key', key: 'url' });
    },
  );

  test.each(['baseUrl', 'base_url', 'serverUrl', 'server_url', 'httpUrl'])(
    'with %s get an error that names it',
    (key) => {
      const issue = onlyIssue(host({ [key]: 'https://example.com/mcp', blockedTools: ['remove'] }));
      expect(issue).toMatchObject({
        code: 'missing-key',
        key: 'url',
        message: 'A server needs a "command" or a "url"',
      });
      expect(issue.hint).toBe(`write "${key}" as "url"; mcpx import converts files of other programs`);
    },
  );

  test('of an unknown type are rejected', () => {
    expect(onlyIssue(host({ type: 'carrier-pigeon', url: 'https://example.com' }))).toMatchObject({
      code: 'invalid-value',
    });
  });
});
