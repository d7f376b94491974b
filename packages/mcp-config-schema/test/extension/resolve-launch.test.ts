// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Launchable, type LaunchFacts, pathsToFind, resolveLaunch } from '../../src/extension.js';

const facts: LaunchFacts = {
  platform: 'linux',
  root: '/path/to/container',
  folder: '/path/to/.repository/extensions/vault-spec',
  python: '/path/to/.repository/extensions/vault-spec/.venv/bin/python',
  ownPaths: new Set(),
};
const windows: LaunchFacts = {
  platform: 'win32',
  root: 'D:\\work\\container',
  folder: 'C:\\Users\\Ada\\extensions\\vault-spec',
  python: 'C:\\Users\\Ada\\extensions\\vault-spec\\.venv\\Scripts\\python.exe',
  ownPaths: new Set(),
};

const launchOf = (command: string, args: readonly string[] = [], more: Partial<Launchable> = {}): Launchable => ({
  command,
  args,
  env: {},
  ...more,
});
const commandOf = (command: string, given: Partial<LaunchFacts> = {}) =>
  resolveLaunch(launchOf(command), { ...facts, ...given }).command;
const argsOf = (args: readonly string[], given: Partial<LaunchFacts> = {}, more: Partial<Launchable> = {}) =>
  resolveLaunch(launchOf('x', args, more), { ...facts, ...given }).args;

test('the server of VaultSpec is resolved exactly as expected', () => {
  const written = JSON.parse(`{
    "command": "python",
    "args": [".vaultspec/lib/scripts/subagent.py", "serve", "--root", "."],
    "env": {}
  }`) as Launchable;
  const { lacksPython, ...resolved } = resolveLaunch(written, facts);
  expect(lacksPython).toBe(false);
  expect(JSON.stringify(resolved)).toBe(
    JSON.stringify(
      JSON.parse(`{
    "command": "/path/to/.repository/extensions/vault-spec/.venv/bin/python",
    "args": [".vaultspec/lib/scripts/subagent.py", "serve", "--root", "/path/to/container"],
    "env": {}
  }`),
    ),
  );
});

describe('python', () => {
  test.each(['python', 'python3'])('%s becomes that of the virtual environment', (command) => {
    expect(commandOf(command)).toBe(facts.python);
  });

  test.each(['python.exe', 'Python', 'PYTHON3.EXE', 'python'])('%s does so on Windows', (command) => {
    expect(commandOf(command, windows)).toBe(windows.python);
  });

  test.each(['python.exe', 'Python', 'python2', 'python3.12', 'pythonw', '/usr/bin/python', 'py', 'uv'])(
    '%s stays unchanged elsewhere',
    (command) => {
      expect(resolveLaunch(launchOf(command), facts)).toMatchObject({ command, lacksPython: false });
    },
  );

  test('stays unchanged without a virtual environment, which is reported', () => {
    const resolved = resolveLaunch(launchOf('python3'), { ...facts, python: undefined });
    expect(resolved).toMatchObject({ command: 'python3', lacksPython: true });
  });
});

describe('--root', () => {
  test.each([
    [
      ['--root', '.'],
      ['--root', '/path/to/container'],
    ],
    [['--root=.'], ['--root=/path/to/container']],
    [
      ['--root', './'],
      ['--root', '/path/to/container'],
    ],
    [
      ['--root', 'sub'],
      ['--root', 'sub'],
    ],
    [
      ['--root', '..'],
      ['--root', '..'],
    ],
    [['--root'], ['--root']],
    [['.'], ['.']],
    [
      ['--dir', '.'],
      ['--dir', '.'],
    ],
    [['--rootless=.'], ['--rootless=.']],
  ])('%j becomes %j', (args, resolved) => {
    expect(argsOf(args)).toEqual(resolved);
  });

  test('gets the root of a Windows project unchanged', () => {
    expect(argsOf(['--root', '.\\', '--root=.'], windows)).toEqual([
      '--root',
      'D:\\work\\container',
      '--root=D:\\work\\container',
    ]);
  });
});

describe('a relative path', () => {
  const own = (...paths: string[]) => ({ ownPaths: new Set(paths) });

  test('becomes absolute only if the extension has it', () => {
    const paths = own('lib/server.py', './server.py', 'index.js');
    expect(argsOf(['lib/server.py', './server.py', 'index.js', 'lib/other.py'], paths)).toEqual([
      '/path/to/.repository/extensions/vault-spec/lib/server.py',
      '/path/to/.repository/extensions/vault-spec/server.py',
      '/path/to/.repository/extensions/vault-spec/index.js',
      'lib/other.py',
    ]);
  });

  test('is also found after the "=" of an option', () => {
    expect(argsOf(['--config=etc/a.json', '-c=etc/a.json'], own('etc/a.json'))).toEqual([
      '--config=/path/to/.repository/extensions/vault-spec/etc/a.json',
      '-c=/path/to/.repository/extensions/vault-spec/etc/a.json',
    ]);
  });

  test('may be the command, if it is a path', () => {
    expect(commandOf('./bin/serve', own('./bin/serve'))).toBe('/path/to/.repository/extensions/vault-spec/bin/serve');
    expect(commandOf('serve.sh', own('serve.sh'))).toBe('serve.sh');
  });

  test('accepts both separators on Windows', () => {
    const args = ['lib/server.py', 'lib\\server.py'];
    expect(argsOf(args, { ...windows, ...own(...args) })).toEqual([
      'C:\\Users\\Ada\\extensions\\vault-spec\\lib\\server.py',
      'C:\\Users\\Ada\\extensions\\vault-spec\\lib\\server.py',
    ]);
  });

  test('stays if the server has a directory, which becomes absolute', () => {
    const more = { cwd: 'server' };
    const given = { ...facts, ...own('server', 'lib/a.py') };
    expect(resolveLaunch(launchOf('./run', ['lib/a.py'], more), given)).toMatchObject({
      command: './run',
      args: ['lib/a.py'],
      cwd: '/path/to/.repository/extensions/vault-spec/server',
    });
    expect(resolveLaunch(launchOf('x', [], more), facts).cwd).toBe('/path/to/container/server');
    expect(resolveLaunch(launchOf('x', [], { cwd: '/srv' }), facts).cwd).toBe('/srv');
    expect(resolveLaunch(launchOf('x', [], { cwd: '${DIR}/a' }), facts).cwd).toBe('${DIR}/a');
  });

  test.each([
    'serve',
    '.',
    '..',
    '.hidden',
    '--flag',
    '--flag=word',
    '/etc/passwd',
    '\\\\host\\share',
    'C:\\x.py',
    'C:x.py',
    '../other/x.py',
    'a/../../x.py',
    'https://example.com/x.js',
    '${DIR}/x.py',
    '',
    'a/..',
    '1.',
    '@scope',
  ])('is not %j', (argument) => {
    expect(pathsToFind(launchOf('x', [argument]))).toEqual([]);
  });

  test.each(['a/b', './a', 'a.py', '@scope/name', 'a\\b', 'a b/c d.py', 'ä/ö'])('may be %j', (argument) => {
    expect(pathsToFind(launchOf('x', [argument]))).toEqual([argument]);
  });
});

describe('the declared root variable', () => {
  const rootVariable = 'VAULTSPEC_MCP_ROOT_DIR';
  const envOf = (env: Record<string, string>, given: Partial<LaunchFacts> = {}, more: Partial<Launchable> = {}) =>
    resolveLaunch(launchOf('x', [], { env, ...more }), { ...facts, rootVariable, ...given }).env;

  test('is set to the root, next to existing variables', () => {
    expect(envOf({})).toEqual({ VAULTSPEC_MCP_ROOT_DIR: '/path/to/container' });
    expect(envOf({ A: 'b' })).toEqual({ A: 'b', VAULTSPEC_MCP_ROOT_DIR: '/path/to/container' });
    expect(envOf({ VAULTSPEC_MCP_ROOT_DIR: '.' })).toEqual({ VAULTSPEC_MCP_ROOT_DIR: '/path/to/container' });
  });

  test('stays as the server sets it', () => {
    expect(envOf({ VAULTSPEC_MCP_ROOT_DIR: '/elsewhere' })).toEqual({ VAULTSPEC_MCP_ROOT_DIR: '/elsewhere' });
    expect(envOf({ Vaultspec_MCP_root_dir: '/elsewhere' }, windows)).toEqual({ Vaultspec_MCP_root_dir: '/elsewhere' });
    const secrets = [{ key: rootVariable, reference: 'env:ROOT', source: { line: 1, column: 1 }, path: [] }];
    expect(envOf({}, {}, { secrets })).toEqual({});
  });

  test('is not set if none is declared', () => {
    expect(envOf({}, { rootVariable: undefined })).toEqual({});
  });
});

describe('properties of resolveLaunch', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('python', '--root', '.', '--root=.', 'lib/a.py', './a', '..', '-x', 'a\\b', '${A}/b.py'),
  );
  const anyLaunch = fc.record({ command: word, args: fc.array(word), env: fc.dictionary(fc.string(), word) });

  test('resolving a resolved launch changes nothing', () => {
    fc.assert(
      fc.property(anyLaunch, fc.constantFrom(facts, windows), (launch, given) => {
        const all = { ...given, rootVariable: 'ROOT', ownPaths: new Set(pathsToFind(launch)) };
        const { lacksPython, ...once } = resolveLaunch(launch, all);
        const { lacksPython: again, ...twice } = resolveLaunch(once, { ...all, ownPaths: new Set(pathsToFind(once)) });
        expect(lacksPython || again).toBe(false);
        expect(twice).toEqual(once);
      }),
    );
  });

  test('keeps the number of arguments, and absolute paths are in the extension or equal the root', () => {
    fc.assert(
      fc.property(anyLaunch, (launch) => {
        const { args } = resolveLaunch(launch, { ...facts, ownPaths: new Set(pathsToFind(launch)) });
        expect(args).toHaveLength(launch.args.length);
        for (const [index, argument] of args.entries()) {
          if (argument === launch.args[index]) continue;
          expect(argument.endsWith(facts.root) || argument.includes(`${facts.folder}/`)).toBe(true);
          expect(argument).not.toContain('..');
        }
      }),
    );
  });
});
