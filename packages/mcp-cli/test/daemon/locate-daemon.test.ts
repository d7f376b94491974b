import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import { hostPaths, listHosts } from '@x/mcp-host-sync';
import { describe, expect, test } from 'vitest';
import { hostProject, projectHostFiles, searchedDirectory, userDirectory } from '../../src/config/find-project.js';
import { configIdentity } from '../../src/daemon/locate-daemon.js';
import { project } from '../helpers/project.js';

const text = 'mcp_servers: {}\n';
const tools = 'tools: { t: { mcp_tools: {} } }\n';

describe('the daemon of a command', () => {
  test('is the same in every folder of a project and for every link to it', async () => {
    await using here = await project({ 'a/mcp_servers.yaml': text, 'b/mcp_servers.yaml': text });
    const root = join(here.folder, 'a');
    await mkdir(join(root, 'src/deep'), { recursive: true });
    await symlink(root, join(here.folder, 'link'));
    const id = configIdentity({ cwd: root });
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(configIdentity({ cwd: join(root, 'src/deep') })).toBe(id);
    expect(configIdentity({ cwd: join(here.folder, 'link') })).toBe(id);
    expect(configIdentity({ cwd: join(here.folder, 'b') })).not.toBe(id);
  });

  test('depends on named files alone', async () => {
    await using here = await project({ 'a/one.yaml': text, 'a/two.yaml': text });
    const named = configIdentity({ cwd: here.folder, config: ['a/one.yaml'] });
    expect(configIdentity({ cwd: join(here.folder, 'a'), config: ['one.yaml'] })).toBe(named);
    expect(configIdentity({ cwd: here.folder, config: ['a/two.yaml'] })).not.toBe(named);
    expect(configIdentity({ cwd: here.folder, config: ['a/one.yaml', 'a/two.yaml'] })).not.toBe(named);
  });

  test('is the same for a named link, wherever it leads, and for each path to its folder', async () => {
    await using here = await project({ 'v1/one.yaml': text, 'v2/one.yaml': text });
    const link = join(here.folder, 'one.yaml');
    await symlink('v1/one.yaml', link);
    await symlink(here.folder, join(here.folder, 'again'));
    const ids = [configIdentity({ cwd: here.folder, config: ['one.yaml'] })];
    ids.push(configIdentity({ cwd: here.folder, config: ['again/one.yaml'] }));
    await rm(link);
    await symlink('v2/one.yaml', link);
    ids.push(configIdentity({ cwd: here.folder, config: ['one.yaml'] }));
    expect(new Set(ids).size).toBe(1);
    expect(configIdentity({ cwd: here.folder, config: ['again'] })).toBe(
      configIdentity({ cwd: here.folder, config: ['.'] }),
    );
  });

  test('is one per user outside of projects', async () => {
    await using here = await project({ 'one/x': '', 'two/x': '' });
    const home = here.folder; // nothing above it counts
    expect(configIdentity({ cwd: join(home, 'one'), home })).toBe(configIdentity({ cwd: join(home, 'two'), home }));
  });

  test.each([
    ...['mcp_servers.yaml', 'mcp_servers.yml', 'config/mcp_servers.yaml', 'config/mcp_servers.yml', '.mcp.json'],
    ...['mcp-servers.json', 'tools.yaml', 'tools.yml', 'config/tools.yaml', 'config/tools.yml'],
  ])('depends on %s, as loading a config does', async (name) => {
    const content = name.endsWith('.json') ? '{"mcpServers": {}}' : name.includes('tools') ? tools : text;
    await using here = await project({ [`outer/${name}`]: content, 'outer/inner/x': '' });
    const outer = join(here.folder, 'outer');
    const inner = join(outer, 'inner');
    const [file = ''] = (await loadConfig({ cwd: inner, env: {}, layers: ['project'] })).files;
    expect(dirname(file).startsWith(outer)).toBe(true);
    expect(configIdentity({ cwd: inner, home: here.folder })).toBe(configIdentity({ cwd: outer }));
    expect(configIdentity({ cwd: inner, home: inner })).not.toBe(configIdentity({ cwd: outer }));
  });

  test('prefers servers further up to tools alone, as loading a config does', async () => {
    await using here = await project({ 'outer/mcp_servers.yaml': text, 'outer/inner/tools.yaml': tools });
    const outer = join(here.folder, 'outer');
    const { files } = await loadConfig({ cwd: join(outer, 'inner'), env: {}, layers: ['project'] });
    expect(files).toEqual([join(outer, 'mcp_servers.yaml')]);
    expect(configIdentity({ cwd: join(outer, 'inner') })).toBe(configIdentity({ cwd: outer }));
  });

  test('does not depend on tools.yaml of another program, as loading a config does not', async () => {
    await using here = await project({
      'config/tools.yaml': tools,
      'tools.yaml': 'sources: {}\n',
      'a/tools.yaml': 'tools: {}',
    });
    const cwd = join(here.folder, 'a');
    const { files } = await loadConfig({ cwd, env: {}, layers: ['project'] });
    expect(files).toEqual([join(here.folder, 'config', 'tools.yaml')]);
    expect(configIdentity({ cwd })).toBe(configIdentity({ cwd: here.folder }));
  });

  test.each(['.', 'mcp_servers.yaml', '../a/mcp_servers.yaml'])('is that of the search for %s', async (name) => {
    await using here = await project({ 'a/mcp_servers.yaml': text, 'a/tools.yaml': tools });
    const cwd = join(here.folder, 'a');
    expect(configIdentity({ cwd, config: [name] })).toBe(configIdentity({ cwd }));
    expect(configIdentity({ cwd: here.folder, config: [join('a', name)] })).toBe(configIdentity({ cwd }));
  });

  test.each([['.mcp.json'], ['tools.yaml'], ['mcp_servers.yaml', 'tools.yaml']])(
    'is another one for %j, which a search does not find alone',
    async (...config) => {
      await using here = await project({ 'mcp_servers.yaml': text, 'tools.yaml': tools, '.mcp.json': '{}' });
      expect(configIdentity({ cwd: here.folder, config })).not.toBe(configIdentity({ cwd: here.folder }));
    },
  );

  test('depends on named host apps and on the project of their files', async () => {
    await using here = await project({ 'a/.cursor/mcp.json': '{"mcpServers":{}}', 'a/deep/x': '', 'b/x': '' });
    const at = (folder: string, ...config: string[]) =>
      configIdentity({ cwd: join(here.folder, folder), config, home: here.folder });
    expect(at('a/deep')).toBe(at('a'));
    expect(at('a')).not.toBe(at('b'));
    expect(at('b')).toBe(at('.'));
    expect(at('a', 'host:cursor')).toBe(at('a/deep', 'host:cursor'));
    expect(at('b', 'host:cursor', 'host:zed')).toBe(at('.', 'host:zed', 'host:cursor'));
    expect(new Set([at('b'), at('b', 'host:cursor'), at('b', 'host:zed')]).size).toBe(3);
  });
});

test('all files of a project that host apps read are known', () => {
  const places = [
    { platform: 'linux', env: {}, home: '/home/ann', project: '/p' },
    { platform: 'win32', env: {}, home: 'C:/ann', project: 'C:/p' },
  ] as const;
  const apps = listHosts().filter(({ scope }) => scope === 'project');
  const paths = places.flatMap((place) => apps.flatMap(({ id }) => hostPaths(id, place)));
  const names = paths.map(({ path }) => path.replaceAll('\\', '/').replace(/^(C:)?\/p\//, ''));
  const others = new Set(names.filter((name) => name !== '.mcp.json'));
  expect([...others].toSorted()).toEqual([...projectHostFiles].toSorted());
});

test('a file in the place of a folder of a host app, or of a named config, is no failure', async () => {
  const inPlace = ['.codex', '.agents', '.cursor', 'config', 'plain'];
  await using here = await project(Object.fromEntries(inPlace.map((name) => [name, ''])));
  const { folder } = here;
  await symlink('.gemini', join(folder, '.gemini')); // fails in another way
  expect(hostProject(folder, folder)).toBe(undefined);
  expect(hostProject(folder, dirname(folder))).toBe(undefined);
  expect(searchedDirectory(['plain/below'], folder)).toBe(undefined);
  expect(configIdentity({ cwd: folder, home: folder })).toMatch(/^[0-9a-f]{16}$/);
  for (const config of ['plain/below', 'plain/below/it.yaml']) {
    expect(configIdentity({ cwd: folder, config: [config] }), config).toMatch(/^[0-9a-f]{16}$/);
  }
});

test("the user's directory is that of the library", async () => {
  expect(userDirectory(process.env)).toBe(await userConfigDirectory());
});
