// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { describe, expect, test } from 'vitest';
import { checkText, placesOf, serverOf } from '../helpers/check-text.js';

const ours = (entry: object) => checkText(JSON.stringify({ mcp_servers: { a: entry } }), 'm.json');
const hosts = (entry: object) => checkText(JSON.stringify({ mcpServers: { a: entry } }), '.mcp.json');
const codesOf = ({ issues }: ReturnType<typeof ours>) => issues.map(({ code, severity }) => `${severity} ${code}`);

describe('warns about a command text that loses backslashes', () => {
  test.each(['C:\\tools\\server.exe --x', '.\\server.exe', 'tools\\server', '\\\\host\\share\\x.exe', 'node C:\\a.js'])(
    '%s',
    (command) => {
      expect(codesOf(ours({ command }))).toEqual(['warning lost-backslash']);
    },
  );

  test('but not about one that keeps or intends them', () => {
    const commands = [
      '"C:\\tools\\server.exe" --x',
      "'C:\\tools\\server.exe' --x",
      'C:\\\\tools\\\\x',
      '/My\\ Tools/x',
      'echo \\$A',
    ];
    for (const command of commands) expect(codesOf(ours({ command }))).toEqual([]);
    expect(codesOf(ours({ command: ['C:\\tools\\server.exe'] }))).toEqual([]);
    expect(codesOf(ours({ command: 'C:\\tools\\server.exe', args: [] }))).toEqual([]);
    expect(codesOf(hosts({ command: 'C:\\tools\\server.exe' }))).toEqual([]);
  });

  test('and still splits it like a shell', () => {
    expect(serverOf(ours({ command: 'C:\\tools\\server.exe --x' }), 'a')).toMatchObject({
      command: 'C:toolsserver.exe',
    });
  });
});

describe('warns about arguments in the name of a program', () => {
  test.each([
    [hosts({ command: 'npx -y foo' }), '1:38'],
    [hosts({ command: 'node server.js' }), '1:38'],
    [hosts({ command: '/usr/bin/npx -y foo' }), '1:38'],
    [hosts({ command: 'npx -y foo', args: ['--root', '.'] }), '1:38'],
    [ours({ command: ['npx -y foo'] }), '1:40'],
    [ours({ command: 'npx -y foo', args: [] }), '1:39'],
  ])('case %#', (check, place) => {
    expect(placesOf(check).map((issue) => issue.replace(/^1:\d+/, place))).toEqual([`${place} unsplit-command`]);
    expect(codesOf(check)).toEqual(['warning unsplit-command']);
  });

  test.each(['C:\\Program Files\\nodejs\\node.exe', '/opt/My Tools/server', 'My Server.exe', 'npx', '${APP}'])(
    '%s is a program',
    (command) => {
      expect(
        checkText(JSON.stringify({ mcpServers: { a: { command } } }), 'x.json', { variables: { APP: 'x' } }).issues,
      ).toEqual([]);
    },
  );
});

test.each([
  [{ eager: true, fleet: { placement: 'singleton' } }, ['warning ignored-key']],
  [{ eager: false, fleet: { placement: 'singleton' } }, []],
  [{ eager: true, fleet: { placement: 'pinned' } }, []],
])('warns that eager has no effect on a singleton: %j', (fields, codes) => {
  expect(codesOf(ours({ command: 'x', ...fields }))).toEqual(codes);
});

describe('a type that contradicts command and url', () => {
  test.each([
    [{ type: 'stdio', url: 'https://a.example/mcp' }, 'a server with a url is reached by it'],
    [{ type: 'http', command: 'x' }, 'a server with a command is started by it'],
    [{ type: 'sse', command: 'x' }, 'a server with a command is started by it'],
  ])('%j has no effect, with a warning', (entry, reason) => {
    expect(hosts(entry).issues).toMatchObject([
      {
        code: 'ignored-key',
        severity: 'warning',
        message: `"type" has no effect here: ${reason}`,
        path: ['mcpServers', 'a', 'type'],
      },
    ]);
  });

  test.each([
    { type: 'stdio', command: 'x' },
    { type: 'sse', url: 'https://a.example' },
    { type: 'streamable-http', url: 'https://a.example' },
  ])('%j agrees', (entry) => {
    expect(hosts(entry).issues).toEqual([]);
  });
});

test('a fault in the command of a host app has the path in the text', () => {
  const [issue] = hosts({ command: '${NOPE}' }).issues;
  expect(issue).toMatchObject({ code: 'unset-variable', path: ['mcpServers', 'a', 'command'] });
  const [secret] = hosts({ command: `ghp_${'a1B2'.repeat(9)}` }).issues;
  expect(secret).toMatchObject({ code: 'inline-secret', path: ['mcpServers', 'a', 'command'] });
});

const mismatches = (entry: object) =>
  checkText(JSON.stringify({ mcp_servers: { a: entry } }), 'mcp_servers.json').issues.map((issue) =>
    issue.code === 'package-mismatch' ? `${issue.package} ≠ ${issue.started}` : issue.code,
  );

test.each([
  ['npx -y b', 'a ≠ b'],
  ['npx --yes @s/a', 'a ≠ @s/a'],
  ['/usr/bin/npx b', 'a ≠ b'],
  ['npx -p b some-bin', 'a ≠ b'],
  ['npx --package=b some-bin', 'a ≠ b'],
  ['npx --registry https://r.example b', 'a ≠ b'],
  ['npm exec -- b --flag', 'a ≠ b'],
  ['pnpm dlx b', 'a ≠ b'],
  ['bunx b', 'a ≠ b'],
  ['uvx --from b c', 'a ≠ b'],
  ['uvx --python 3.12 b', 'a ≠ b'],
  ['uv tool run b', 'a ≠ b'],
  ['pipx run --spec b c', 'a ≠ b'],
  ['cmd /c npx -y b', 'a ≠ b'],
  ['cmd.exe /d /s /c npx.cmd -y b', 'a ≠ b'],
  ['env A=1 B=2 npx -y b', 'a ≠ b'],
  ['/usr/bin/env -i -u PATH npx -y b', 'a ≠ b'],
  ['uv --directory x run b', 'a ≠ b'],
  ['uv --directory x tool run --from b c', 'a ≠ b'],
  ['uv run --with c b', 'a ≠ b'],
  ['npm --prefix x exec b', 'a ≠ b'],
  ['pnpm --dir x dlx b', 'a ≠ b'],
])('%s starts another package', (command, mismatch) => {
  expect(mismatches({ package: 'a', command })).toEqual([mismatch]);
});

test.each([
  ['a', 'npx -y a'],
  ['a', 'npx -y a@1.2.3'],
  ['a@1.2.3', 'npx -y a'],
  ['@s/a@1', 'npx -y @s/a@1 --root b'],
  ['a', 'npx'],
  ['a', 'npx ./a'],
  ['a', 'npx -c "echo b"'],
  ['a', 'npx --call b'],
  ['a', 'node b'],
  ['a', 'npm run b'],
  ['a', 'cmd /c npx -y a'],
  ['a', 'cmd /c'],
  ['a', 'env A=1'],
  ['a', 'env A=1 node b'],
  ['a', 'uv --directory x run a'],
  ['a', 'uv run python -m b'],
  ['a', 'uv run b.py'],
  ['a', 'uv run --with mcp mcp run b.py'],
  ['a', 'uv --directory x sync'],
  ['mcp-server-git', 'uvx mcp_server.git[all]@2.0'],
])('%s is, or may be, the package that %s starts', (name, command) => {
  expect(mismatches({ package: name, command })).toEqual([]);
});

test('compares versions if both sides have one', () => {
  expect(mismatches({ package: 'a@1', command: 'npx -y a@2' })).toEqual(['a@1 ≠ a@2']);
});

test('checks lists and separate arguments, too', () => {
  expect(mismatches({ package: 'a', command: ['npx', '-y', 'b'] })).toEqual(['a ≠ b']);
  expect(mismatches({ package: 'a', command: 'npx', args: ['-y', 'b'] })).toEqual(['a ≠ b']);
});

test('an id of a host app must be the name of its server', () => {
  expect(hosts({ command: 'x', id: 'a' }).issues).toEqual([]);
  expect(hosts({ command: 'x', id: 'fs-server' }).issues).toMatchObject([
    {
      code: 'ignored-key',
      severity: 'warning',
      path: ['mcpServers', 'a', 'id'],
      message: '"id" has no effect here: the name of this server is its key, "a"',
    },
  ]);
  expect(checkText('mcp_servers: { a: { command: x, id: a } }').issues).toMatchObject([
    { code: 'unknown-key', key: 'id', hint: 'leave it out: the name of a server is its key in this file' },
  ]);
});

test.each(['mcpServers', 'servers', 'mcp_servers'])(
  'a list in place of %s has a hint with the right form',
  (section) => {
    const text = JSON.stringify({ [section]: [{ id: 'git', command: 'git-mcp' }] });
    expect(checkText(text, 'm.json').issues).toMatchObject([
      { code: 'invalid-value', hint: 'write each server under its name, as in "git": { "command": "git-mcp" }' },
    ]);
  },
);
