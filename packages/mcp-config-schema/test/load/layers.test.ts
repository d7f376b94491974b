import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkFiles, loadConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const server = (name: string, command: string) => `mcp_servers:\n  ${name}: { command: ${command} }\n`;
const commands = async (options: Parameters<typeof loadConfig>[0]) =>
  (await loadConfig(options)).servers.map(({ name, layer, ...rest }) => [
    name,
    'command' in rest && rest.command,
    layer,
  ]);

describe('without files', () => {
  test('the project overrides the user, server by server', async () => {
    await using folder = await configFolder({
      'project/.mcp.json': '{ "mcpServers": { "git": { "command": "project-git" } } }',
      'user/mcp_servers.yaml': `${server('git', 'user-git')}  web: { command: user-web }\n`,
      'user/tools.yaml': 'tools: { code: { mcp_tools: { required: [git] } } }\n',
    });
    const options = { cwd: join(folder.path, 'project'), userDirectory: join(folder.path, 'user') };
    expect(await commands(options)).toEqual([
      ['git', 'project-git', 'project'],
      ['web', 'user-web', 'user'],
    ]);
    const { config, origins } = await checkFiles(options);
    expect(config?.files).toEqual([
      '.mcp.json',
      join(folder.path, 'user/mcp_servers.yaml'),
      join(folder.path, 'user/tools.yaml'),
    ]);
    expect(config?.tools).toHaveLength(1);
    expect(origins.get('mcp_servers.git')).toMatchObject({
      file: '.mcp.json',
      layer: 'project',
      overrides: [{ file: join(folder.path, 'user/mcp_servers.yaml'), line: 2, column: 3, layer: 'user' }],
    });
  });

  test('the user layer is enough', async () => {
    await using folder = await configFolder({ 'user/mcp_servers.yaml': server('web', 'user-web'), 'project/x': '' });
    const options = { cwd: join(folder.path, 'project'), userDirectory: join(folder.path, 'user') };
    expect(await commands({ ...options, layers: ['project', 'user'] })).toEqual([['web', 'user-web', 'user']]);
  });

  test.skipIf(process.platform !== 'linux')('the user directory is that of the system', async () => {
    await using folder = await configFolder({
      'home/mcpx/mcp_servers.yaml': server('web', 'user-web'),
      'project/x': '',
    });
    vi.stubEnv('XDG_CONFIG_HOME', join(folder.path, 'home'));
    expect(await commands({ cwd: join(folder.path, 'project') })).toEqual([['web', 'user-web', 'user']]);
  });

  test('a server runs in the root of its file: one of the user never in a project that it does not name', async () => {
    await using folder = await configFolder({
      'project/mcp_servers.yaml': server('git', 'git'),
      'project/deep/x': '',
      'user/mcp_servers.yaml':
        'mcp_servers:\n  a: { command: x }\n  b: { command: x, cwd: work }\n  c: { command: "x {{root}}/y", cwd: "{{root}}" }\n',
    });
    const { servers, settings } = await loadConfig({
      cwd: join(folder.path, 'project', 'deep'),
      userDirectory: join(folder.path, 'user'),
    });
    expect(servers.map((entry) => 'cwd' in entry && entry.cwd)).toEqual([
      join(folder.path, 'project'),
      join(folder.path, 'user'),
      join(folder.path, 'user', 'work'),
      join(folder.path, 'project'),
    ]);
    expect(servers[3]).toMatchObject({ args: [`${join(folder.path, 'project')}/y`] });
    expect(settings.logDirectory).toBe(join(folder.path, 'project', 'logs', 'mcp_servers'));
  });

  test('without a project, {{root}} of a user file is the current directory', async () => {
    await using folder = await configFolder({
      'empty/x': '',
      'user/mcp_servers.yaml': 'mcp_servers:\n  a: { command: x, cwd: "{{root}}" }\n',
    });
    const options = { cwd: join(folder.path, 'empty'), userDirectory: join(folder.path, 'user') };
    expect((await loadConfig({ ...options, layers: ['user'] })).servers).toMatchObject([{ cwd: options.cwd }]);
  });

  test.skipIf(process.platform === 'win32')(
    '{{runtime.python}} of a user file is never that of a project',
    async () => {
      const venv = { '.venv/bin/python': '', '.venv/pyvenv.cfg': '' };
      await using folder = await configFolder({
        'project/mcp_servers.yaml': 'mcp_servers: {}\n',
        ...Object.fromEntries(Object.entries(venv).map(([path, text]) => [`project/${path}`, text])),
        'user/mcp_servers.yaml': 'mcp_servers:\n  a: { command: "{{runtime.python}} x" }\n',
      });
      await chmod(join(folder.path, 'project/.venv/bin/python'), 0o755);
      const options = { cwd: join(folder.path, 'project'), userDirectory: join(folder.path, 'user') };
      const found = await checkFiles({ ...options, env: { PATH: '' } });
      expect(found.issues).toMatchObject([{ code: 'unset-variable', variable: 'runtime.python' }]);
    },
  );

  test('finds nothing above the home directory from inside of it', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('a', 'x'), 'home/project/x': '' });
    const home = join(folder.path, 'home');
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', home);
    const options = { cwd: join(home, 'project'), userDirectory: join(home, 'none') };
    await expect(loadConfig(options)).rejects.toMatchObject({ code: 'config-not-found' });
    await folder.write('home/mcp_servers.yaml', server('b', 'y'));
    expect(await commands(options)).toEqual([['b', 'y', 'project']]);
  });

  test('without configuration, the error lists the searched paths', async () => {
    await using folder = await configFolder({ 'project/x': '' });
    const userDirectory = join(folder.path, 'user');
    const loading = loadConfig({ cwd: join(folder.path, 'project'), userDirectory });
    await expect(loading).rejects.toThrow(`, and in ${userDirectory} for every project.`);
  });
});

describe('with files', () => {
  test('only they count, unless other layers are requested', async () => {
    await using folder = await configFolder({
      'given.yaml': server('git', 'given-git'),
      'project/mcp_servers.yaml': `${server('git', 'project-git')}  files: { command: project-files }\n`,
      'user/mcp_servers.yaml': server('web', 'user-web'),
    });
    const options = {
      cwd: join(folder.path, 'project'),
      files: ['../given.yaml'],
      userDirectory: join(folder.path, 'user'),
    };
    expect(await commands(options)).toEqual([['git', 'given-git', 'explicit']]);
    expect(await commands({ ...options, layers: ['user', 'project', 'explicit'] })).toEqual([
      ['git', 'given-git', 'explicit'],
      ['files', 'project-files', 'project'],
      ['web', 'user-web', 'user'],
    ]);
  });

  test('a file in two layers counts once, in the stronger one', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('git', 'x') });
    const options = { cwd: folder.path, files: ['mcp_servers.yaml'], userDirectory: folder.path };
    expect(await commands({ ...options, layers: ['explicit', 'project', 'user'] })).toEqual([['git', 'x', 'explicit']]);
  });
});

test.each([
  [{ layers: [] }, 'layers must be a list'],
  [{ layers: ['system'] }, 'layers must be a list'],
  [{ layers: 'user' }, 'layers must be a list'],
  [{ layers: ['explicit'] }, 'layers must include explicit if there are files'],
  [{ files: ['x'], layers: ['user'] }, 'layers must include explicit if there are files'],
  [{ userDirectory: 5 }, 'userDirectory must be a text that is not empty'],
])('%j is a TypeError', async (options, message) => {
  await expect(loadConfig(options as never)).rejects.toThrow(TypeError);
  await expect(loadConfig(options as never)).rejects.toThrow(message);
});

test('templates of a file use its own root and the reading Node.js', async () => {
  await using folder = await configFolder({
    'config/mcp_servers.yaml': 'mcp_servers:\n  a: { command: ["{{runtime.node}}", "{{root}}/a.js"] }\n',
  });
  const { servers } = await loadConfig({ cwd: folder.path, layers: ['project'] });
  expect(servers).toMatchObject([{ command: process.execPath, args: [`${folder.path}/a.js`] }]);
});
