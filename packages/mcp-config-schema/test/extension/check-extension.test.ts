// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { execFile } from 'node:child_process';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkExtension, type ExtensionCheck, resolveExtension } from '../../src/extension.js';
import { formatIssue, isConfigError } from '../../src/index.js';
import { extensionFolder } from '../helpers/extension-folder.js';

const isWindows = process.platform === 'win32';
const venvPython = isWindows ? '.venv/Scripts/python.exe' : '.venv/bin/python';

const vaultSpec = `{
  "mcpServers": {
    "vs-subagent-mcp": {
      "command": "python",
      "args": [".vaultspec/lib/scripts/subagent.py", "serve", "--root", "."],
      "env": {}
    }
  }
}
`;
const provides = 'provides.mcp = "mcp.json"\n';

/** `file:line:column severity code`, with the file name only. */
const placesOf = ({ issues }: ExtensionCheck) =>
  issues.map(({ file = '', line, column, severity, code }) => {
    return `${file.split(/[/\\]/).at(-1)}:${line}:${column} ${severity} ${code}`;
  });

describe('VaultSpec', () => {
  test('is resolved exactly as expected', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides,
      'extension/mcp.json': vaultSpec,
      'extension/.vaultspec/lib/scripts/subagent.py': '',
      '.vaultspec/lib/scripts/subagent.py': '',
    });
    const python = await project.write(`extension/${venvPython}`, '', 0o755);
    const { servers } = await resolveExtension(project.folder, { root: project.root });
    const resolved = servers.map((server) => {
      if (server.transport === 'http') throw new Error('expected a command');
      const { name, command, args, env } = server;
      return [name, { command, args, env }];
    });
    const expected = `{
  "vs-subagent-mcp": {
    "command": "/path/to/.repository/extensions/vault-spec/.venv/bin/python",
    "args": [".vaultspec/lib/scripts/subagent.py", "serve", "--root", "/path/to/container"],
    "env": {}
  }
}`
      .replace('"/path/to/.repository/extensions/vault-spec/.venv/bin/python"', JSON.stringify(python))
      .replace('"/path/to/container"', JSON.stringify(project.root));
    expect(JSON.stringify(Object.fromEntries(resolved))).toBe(JSON.stringify(JSON.parse(expected)));
  });

  test('gets the root in its declared variable', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': `${provides}root_variable = "VAULTSPEC_MCP_ROOT_DIR"\n`,
      'extension/mcp.json': vaultSpec,
    });
    const { servers } = await resolveExtension(project.folder, { root: project.root });
    expect(servers).toMatchObject([{ env: { VAULTSPEC_MCP_ROOT_DIR: project.root }, enabled: true }]);
  });

  test('gets its script from the extension if the project has none', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides,
      'extension/mcp.json': vaultSpec,
      'extension/.vaultspec/lib/scripts/subagent.py': '',
    });
    const { servers } = await resolveExtension(project.folder, { root: project.root });
    const script = join(project.folder, '.vaultspec', 'lib', 'scripts', 'subagent.py');
    expect(servers).toMatchObject([{ args: [script, 'serve', '--root', project.root] }]);
  });
});

describe('the manifest', () => {
  test.each([
    ['extension.toml', '[provides]\nmcp = "mcp.json"\n[provides.agents]\nfolder = "agents"\n'],
    ['extension.yaml', 'name: vault-spec\nprovides:\n  mcp: mcp.json\n'],
    ['extension.yml', 'provides: { mcp: ./mcp.json }\n'],
    ['extension.json', '{ "provides": { "mcp": "mcp.json" } } // allowed\n'],
  ])('may be %s', async (name, text) => {
    await using project = await extensionFolder({ [`extension/${name}`]: text, 'extension/mcp.json': vaultSpec });
    const { servers, manifest } = await resolveExtension(project.folder, { root: project.root });
    expect(servers).toHaveLength(1);
    expect(manifest).toBe(join(project.folder, name));
  });

  test('may be named', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': 'this is not the one',
      'extension/meta/vault.toml': provides,
      'extension/mcp.json': vaultSpec,
    });
    const options = { root: project.root, manifest: 'meta/vault.toml' };
    expect((await resolveExtension(project.folder, options)).servers).toHaveLength(1);
  });

  test('may provide no servers', async () => {
    await using project = await extensionFolder({ 'extension/extension.toml': 'name = "empty"\n' });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(check).toMatchObject({ issues: [], extension: { servers: [] } });
  });

  test('may leave optional keys empty', async () => {
    await using project = await extensionFolder({
      'extension/extension.yaml': 'provides:\n  mcp: mcp.json\nroot_variable:\n',
      'extension/mcp.json': '{ "mcpServers": { "a": { "command": "x", "args": null, "env": null } } }',
    });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(check).toMatchObject({ issues: [], extension: { servers: [{ name: 'a', args: [] }] } });
  });

  test.each([
    ['provides.mcp = 5\n', 'extension.toml:1:16 error invalid-value'],
    ['provides = "mcp.json"\n', 'extension.toml:1:12 error invalid-value'],
    ['provides.mcp = "../mcp.json"\n', 'extension.toml:1:16 error outside-extension'],
    ['provides.mcp = "/etc/mcp.json"\n', 'extension.toml:1:16 error outside-extension'],
    ['provides.mcp = "a\\\\..\\\\..\\\\mcp.json"\n', 'extension.toml:1:16 error outside-extension'],
    ['provides.mcp = "nowhere.json"\n', 'extension.toml:1:16 error missing-file'],
    ['provides.mcp = "folder"\n', 'extension.toml:1:16 error missing-file'],
    ['root_variable = "A-B"\n', 'extension.toml:1:17 error invalid-value'],
    ['provides.mcp = mcp.json\n', 'extension.toml:1:16 error syntax'],
    ['"provides.mcp" = "mcp.json"\n', 'extension.toml:1:1 error unknown-key'],
    ['[__proto__]\n', 'extension.toml:1:2 error forbidden-key'],
    ['', 'extension.toml:1:1 error empty-file'],
  ])('with %j is rejected at its position', async (text, place) => {
    await using project = await extensionFolder({
      'extension/extension.toml': text,
      'extension/folder/mcp.json': vaultSpec,
    });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual([place]);
    expect(check.extension).toBeUndefined();
  });

  test.each([
    ['[provides]\nmpc = "mcp.json"\n', 'extension.toml:2:1 warning unknown-key', 'did you mean "mcp"?'],
    ['[provide]\nmcp = "mcp.json"\n', 'extension.toml:1:2 warning unknown-key', 'did you mean "provides"?'],
    ['root_varaible = "ROOT"\n', 'extension.toml:1:1 warning unknown-key', 'did you mean "root_variable"?'],
  ])('with %j probably has a typing error', async (text, place, hint) => {
    await using project = await extensionFolder({ 'extension/extension.toml': text });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual([place]);
    expect(check.issues[0]?.hint).toBe(hint);
    expect(check.extension?.servers).toEqual([]);
  });

  test('may have keys of the installer', async () => {
    const text = 'name = "x"\nprovider = "y"\nroot = "z"\n[provides]\nagents = "agents"\nmcps = 5\n';
    await using project = await extensionFolder({ 'extension/extension.toml': text });
    expect((await checkExtension(project.folder, { root: project.root })).issues).toEqual([]);
  });

  test('that is missing is an error with an example', async () => {
    await using project = await extensionFolder({});
    const failure = await resolveExtension(project.folder, { root: project.root }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'config-not-found' });
    expect(failure.message).toContain('Looked for extension.toml, extension.yaml, extension.yml, extension.json');
    expect(failure.message).toContain('provides.mcp = "mcp.json"');
    const nowhere = resolveExtension(join(project.folder, 'no'), { root: project.root });
    await expect(nowhere).rejects.toMatchObject({ code: 'config-not-found' });
  });

  test.skipIf(isWindows)('does not wait for a named pipe or a folder', async () => {
    await using project = await extensionFolder({});
    await promisify(execFile)('mkfifo', [join(project.folder, 'extension.json')]);
    await expect(resolveExtension(project.folder, { root: project.root })).rejects.toMatchObject({
      code: 'unreadable',
    });
    await mkdir(join(project.folder, 'extension.toml'));
    await expect(resolveExtension(project.folder, { root: project.root })).rejects.toMatchObject({
      code: 'unreadable',
    });
  });
});

describe.skipIf(isWindows)('a link', () => {
  test('to a file in the extension is followed', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides,
      'extension/real/servers.json': vaultSpec,
    });
    await symlink('real/servers.json', join(project.folder, 'mcp.json'));
    expect((await resolveExtension(project.folder, { root: project.root })).servers).toHaveLength(1);
  });

  test('to the extension itself is followed', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides,
      'extension/mcp.json': vaultSpec,
    });
    await rename(project.folder, join(project.root, 'real'));
    await symlink('real', project.folder);
    expect((await resolveExtension(project.folder, { root: project.root })).servers).toHaveLength(1);
  });

  test.each([
    ['the file itself', 'mcp.json', '../outside.json', 'mcp.json'],
    ['a folder on the way', 'sub', '..', 'sub/outside.json'],
    ['a folder beside, whose name begins in the same way', 'mcp.json', '../extension-2/mcp.json', 'mcp.json'],
  ])('that leads out of the extension is rejected: %s', async (_, link, target, given) => {
    await using project = await extensionFolder({
      'extension/extension.toml': `provides.mcp = "${given}"\n`,
      'outside.json': vaultSpec,
      'extension-2/mcp.json': vaultSpec,
    });
    await symlink(target, join(project.folder, link));
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['extension.toml:1:16 error outside-extension']);
  });

  test('to a missing file is a missing file', async () => {
    await using project = await extensionFolder({ 'extension/extension.toml': provides });
    await symlink('nowhere.json', join(project.folder, 'mcp.json'));
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['extension.toml:1:16 error missing-file']);
  });
});

describe('the virtual environment', () => {
  const files = { 'extension/extension.toml': provides, 'extension/mcp.json': vaultSpec };

  test('of the extension comes before that of the project', async () => {
    await using project = await extensionFolder(files);
    const options = { root: project.root };
    const ofProject = await project.write(venvPython, '', 0o755);
    expect((await resolveExtension(project.folder, options)).servers).toMatchObject([{ command: ofProject }]);
    const ofExtension = await project.write(`extension/${venvPython.replace('.venv', 'venv')}`, '', 0o755);
    expect((await resolveExtension(project.folder, options)).servers).toMatchObject([{ command: ofExtension }]);
  });

  test('chosen for uv counts next to a uv.lock', async () => {
    await using project = await extensionFolder(files);
    const options = { root: project.root, env: { UV_PROJECT_ENVIRONMENT: 'made-by-uv' } };
    const python = await project.write(`extension/${venvPython.replace('.venv', 'made-by-uv')}`, '', 0o755);
    expect((await resolveExtension(project.folder, options)).servers).toMatchObject([{ command: 'python' }]);
    await project.write('extension/uv.lock', '');
    expect((await resolveExtension(project.folder, options)).servers).toMatchObject([{ command: python }]);
  });

  test('of a Windows project is searched at its Windows path', async () => {
    await using project = await extensionFolder(files);
    await project.write('extension/.venv/bin/python', '', 0o755);
    // The path separators stay those of the test system; only the program differs.
    const check = await checkExtension(project.folder, { root: project.root, platform: 'win32' });
    if (!isWindows) expect(placesOf(check)).toEqual(['mcp.json:4:18 warning no-virtual-environment']);
  });

  test('that is missing is a warning at the command, which stays unchanged', async () => {
    await using project = await extensionFolder(files);
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['mcp.json:4:18 warning no-virtual-environment']);
    expect(check.extension?.servers).toMatchObject([{ command: 'python' }]);
  });

  test.skipIf(isWindows)('without a usable Python counts as missing', async () => {
    await using project = await extensionFolder(files);
    await mkdir(join(project.folder, '.venv', 'bin'), { recursive: true });
    await symlink('/nowhere/python3', join(project.folder, '.venv', 'bin', 'python'));
    await project.write('extension/venv/bin/python', '', 0o644);
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['mcp.json:4:18 warning no-virtual-environment']);
  });

  test.skipIf(isWindows)('is written as a link, without resolving it', async () => {
    await using project = await extensionFolder(files);
    await mkdir(join(project.folder, '.venv', 'bin'), { recursive: true });
    const link = join(project.folder, '.venv', 'bin', 'python');
    await symlink(process.execPath, link);
    expect((await resolveExtension(project.folder, { root: project.root })).servers).toMatchObject([{ command: link }]);
  });
});

describe('templates', () => {
  const mcp = `{
  "mcpServers": {
    "a": {
      "command": "{{runtime.node}}",
      "args": ["{{root}}/x", "\${env:NAME}", "{{env.TOKEN}}"],
      "env": { "TOKEN": "\${TOKEN}", "PRICE": "$\${" }
    },
    "b": { "url": "\${URL}", "disabled": true }
  }
}
`;
  const files = { 'extension/extension.toml': provides, 'extension/mcp.json': mcp };

  test('with variables are kept, in the syntax of host sync', async () => {
    await using project = await extensionFolder(files);
    const { servers } = await resolveExtension(project.folder, { root: project.root, env: {}, node: '/usr/bin/node' });
    expect(servers).toMatchObject([
      {
        command: '/usr/bin/node',
        args: [`${project.root}/x`, '${NAME}', '${TOKEN}'],
        env: { TOKEN: '${TOKEN}', PRICE: '$${' },
        enabled: true,
      },
      { url: '${URL}', enabled: false },
    ]);
  });

  test.each([
    ['mcp_servers.yaml', '{ "mcp_servers": { "a": { "command": "x", "disabled": true }, "b": { "command": "y" } } }'],
    ['mcp.json', '{ "mcpServers": { "a": { "command": "x", "disabled": true }, "b": { "command": "y" } } }'],
  ])('a server that %s disables is not enabled', async (name, text) => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides.replace('mcp.json', name),
      [`extension/${name}`]: text,
    });
    const { servers } = await resolveExtension(project.folder, { root: project.root });
    expect(servers).toMatchObject([
      { name: 'a', enabled: false },
      { name: 'b', enabled: true },
    ]);
  });

  test('are expanded on request, with an issue for each unset variable', async () => {
    await using project = await extensionFolder(files);
    const options = { root: project.root, variables: 'expand', env: { TOKEN: 'sesame', NAME: 'n' } } as const;
    const check = await checkExtension(project.folder, options);
    expect(placesOf(check)).toEqual(['mcp.json:8:20 error unset-variable']);
    const [issue] = check.issues;
    if (issue?.file === undefined) throw new Error('expected a file');
    const text = `${check.texts.get(issue.file)} // sesame`;
    expect(formatIssue({ ...issue, line: 10 }, { text, redactor: check.redactor })).not.toContain('sesame');

    const env = { ...options.env, URL: 'https://example.com' };
    const { servers } = await resolveExtension(project.folder, { ...options, env });
    expect(servers).toMatchObject([
      { args: [`${project.root}/x`, 'n', 'sesame'], env: { TOKEN: 'sesame', PRICE: '${' } },
      { url: 'https://example.com' },
    ]);
  });

  test('for a missing Python are an error', async () => {
    await using project = await extensionFolder({
      ...files,
      'extension/mcp.json': '{ "mcpServers": { "a": { "command": "{{runtime.python}}" } } }',
    });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['mcp.json:1:38 error unset-variable']);
  });

  test('never result from the name of a folder', async () => {
    await using project = await extensionFolder({
      '${HOME} {{root}}/extension.toml': provides,
      '${HOME} {{root}}/mcp.json':
        '{ "mcpServers": { "a": { "command": "./run", "args": ["--root", ".", "{{root}}"] } } }',
      '${HOME} {{root}}/run': '',
    });
    const folder = join(project.root, '${HOME} {{root}}');
    const root = join(project.root, '${A}');
    const kept = await resolveExtension(folder, { root });
    expect(kept.servers).toMatchObject([
      {
        command: join(project.root, '$${HOME} {{root}}', 'run'),
        args: ['--root', join(project.root, '$${A}'), join(project.root, '$${A}')],
      },
    ]);
    const expanded = await resolveExtension(folder, { root, variables: 'expand', env: {} });
    expect(expanded.servers).toMatchObject([{ command: join(folder, 'run'), args: ['--root', root, root] }]);
  });
});

test('a secret in the servers file appears in no issue and no output', async () => {
  const mcp =
    '{ "mcpServers": { "a": { "command": "x", "cwd": "{{sesame_street}}", "env": { "TOKEN": "sesame_street" } } } }';
  await using project = await extensionFolder({ 'extension/extension.toml': provides, 'extension/mcp.json': mcp });
  const { issues, texts, redactor } = await checkExtension(project.folder, { root: project.root });
  expect(issues.map(({ code }) => code)).toEqual(['unknown-template', 'inline-secret']);
  const printed = issues.map((issue) => formatIssue(issue, { text: texts.get(issue.file ?? ''), redactor }));
  expect(printed.join('\n') + JSON.stringify(issues)).not.toContain('sesame');
});

describe('the servers file', () => {
  test('may have the format of mcp_servers.yaml, and is checked', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': 'provides.mcp = "mcp_servers.yaml"\n',
      'extension/mcp_servers.yaml': 'mcp_servers:\n  a: { command: npx -y a }\n  b: { comand: x }\n',
    });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['mcp_servers.yaml:3:8 error unknown-key']);
    const failure = await resolveExtension(project.folder, { root: project.root }).catch((error) => error);
    expect(isConfigError(failure) && failure.issues).toHaveLength(1);
  });

  test('is rejected if it lists something else', async () => {
    await using project = await extensionFolder({
      'extension/extension.toml': provides,
      'extension/mcp.json': '{ "tools": {} }',
    });
    const check = await checkExtension(project.folder, { root: project.root });
    expect(placesOf(check)).toEqual(['mcp.json:1:1 error unrecognised-file']);
  });
});

test.each([
  [['', { root: '/x' }], 'folder must be'],
  [['/x', undefined], 'root must be'],
  [['/x', { root: '' }], 'root must be'],
  [['/x', { root: '/x', variables: 'hide' }], 'variables must be'],
  [['/x', { root: '/x', manifest: 5 }], 'manifest must be'],
])('a call with %j is rejected', async (args, message) => {
  await expect(checkExtension(...(args as Parameters<typeof checkExtension>))).rejects.toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  );
});
