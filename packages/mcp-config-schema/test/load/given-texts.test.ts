// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GivenText, loadConfig, type TextSource, watchConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

const servers = (name: string): string => JSON.stringify({ mcp_servers: { [name]: { command: 'x', cwd: 'sub' } } });

function given(folder: string, when: TextSource['when'], text = servers('given')): TextSource {
  const path = join(folder, 'app', 'config.toml');
  const one: GivenText = { path, layer: 'project', root: join(folder, 'root'), text };
  return { when, read: async () => ({ texts: text === '' ? [] : [one], paths: [path] }) };
}

const namesIn = async (options: Parameters<typeof loadConfig>[0]): Promise<readonly string[]> =>
  (await loadConfig({ env: {}, layers: ['project'], ...options })).servers.map(({ name }) => name);

test('given texts take the place of a missing config, and have a root and a layer of their own', async () => {
  await using here = await configFolder({ 'empty/x': '', 'full/mcp_servers.yaml': servers('file') });
  const source = given(here.path, 'no-files');
  const [server] = (await loadConfig({ cwd: join(here.path, 'empty'), env: {}, layers: ['project'], given: source }))
    .servers;
  expect(server).toMatchObject({ name: 'given', layer: 'project', cwd: join(here.path, 'root', 'sub') });
  expect(server?.source).toMatchObject({ file: join(here.path, 'app', 'config.toml'), line: 1 });
  expect(await namesIn({ cwd: join(here.path, 'full'), given: source })).toEqual(['file']);
});

test('texts that are always given come besides named files, and without any nothing is searched', async () => {
  await using here = await configFolder({ 'mcp_servers.yaml': servers('file') });
  const source = given(here.path, 'always');
  const { path: cwd } = here;
  expect((await loadConfig({ cwd, env: {}, given: source })).servers.map(({ name }) => name)).toEqual(['given']);
  const files = ['mcp_servers.yaml'];
  expect((await loadConfig({ cwd, env: {}, files, given: source })).servers.map(({ name }) => name)).toEqual([
    'file',
    'given',
  ]);
  await expect(loadConfig({ cwd, env: {}, files: ['missing.yaml'], given: source })).rejects.toMatchObject({
    code: 'config-not-found',
  });
});

test('a server in a file takes the place of a given one with its name, in every layer', async () => {
  const file = JSON.stringify({ mcp_servers: { given: { command: 'own' } } });
  await using here = await configFolder({ 'mcp_servers.yaml': file, 'user/mcp_servers.yaml': file, 'empty/x': '' });
  const source = given(here.path, 'always');
  const { path: cwd } = here;
  for (const options of [
    { cwd, layers: ['project'], files: ['.'] } as const,
    { cwd, files: ['.'] },
    { cwd: join(cwd, 'empty'), layers: ['user'], userDirectory: join(cwd, 'user') } as const,
  ]) {
    const { servers: loaded, issues } = await loadConfig({ env: {}, given: source, ...options });
    expect(loaded).toMatchObject([{ name: 'given', command: 'own' }]);
    expect(issues).toEqual([]);
  }
});

test('without given texts a missing config is an error, and a wrong source is refused', async () => {
  await using here = await configFolder({ 'empty/x': '' });
  const cwd = join(here.path, 'empty');
  await expect(namesIn({ cwd, given: given(here.path, 'no-files', '') })).rejects.toMatchObject({
    code: 'config-not-found',
  });
  await expect(namesIn({ cwd, given: { when: 'sometimes' } as never })).rejects.toThrow('given must be an object');
});

test('no .env file fills a given text', async () => {
  await using here = await configFolder({ 'root/.env': 'NAME=value\n', 'app/.env': 'NAME=value\n', 'empty/x': '' });
  const text = JSON.stringify({ mcp_servers: { given: { command: 'x', env: { A: '${NAME}' } } } });
  const { servers: loaded } = await loadConfig({
    cwd: join(here.path, 'empty'),
    env: {},
    layers: ['project'],
    given: given(here.path, 'no-files', text),
  });
  expect(loaded).toMatchObject([{ unsetVariables: ['NAME'] }]);
});

test('a change of a path that affects given texts is an item of the watch', async () => {
  await using here = await configFolder({ 'app/config.toml': 'one', 'empty/x': '' });
  const path = join(here.path, 'app', 'config.toml');
  const read = async () => {
    const text = servers(await readFile(path, 'utf8'));
    return { texts: [{ path, layer: 'user', root: here.path, text } as const], paths: [path] };
  };
  const cwd = join(here.path, 'empty');
  await using watch = watchConfig({
    cwd,
    env: {},
    layers: ['project'],
    given: { when: 'no-files', read },
    quietMs: 10,
  });
  expect((await watch.next()).value?.config?.servers).toMatchObject([{ name: 'one', layer: 'user' }]);
  await writeFile(path, 'two');
  expect((await watch.next()).value?.config?.servers).toMatchObject([{ name: 'two' }]);
});

test('named files count as those of a project with that layer alone', async () => {
  await using here = await configFolder({
    'a/mcp_servers.yaml': servers('file'),
    'mcp_servers.yaml': servers('above'),
  });
  const { servers: loaded } = await loadConfig({
    cwd: here.path,
    env: {},
    files: ['a'],
    layers: ['project', 'user'],
    userDirectory: join(here.path, 'nowhere'),
  });
  expect(loaded).toMatchObject([{ name: 'file', layer: 'project' }]);
});
