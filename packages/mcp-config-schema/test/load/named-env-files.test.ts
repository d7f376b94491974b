// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadConfig, watchConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

const config = (text: string): string => JSON.stringify({ mcp_servers: { it: { command: 'x', env: { IT: text } } } });

test.each([
  ['the environment', { A: 'environment' }, ['one.env', 'two.env'], 'environment'],
  ['an empty variable of the environment', { A: '' }, ['one.env'], ''],
  ['the later of two named files', {}, ['one.env', 'two.env'], 'two'],
  ['a named file', {}, ['one.env'], 'one'],
  ['the .env file beside the config', {}, [], 'beside'],
])('the value of %s counts', async (_, env, envFiles, value) => {
  await using here = await configFolder({
    'mcp_servers.yaml': config('${A}'),
    '.env': 'A=beside\n',
    'one.env': 'A=one\n',
    'two.env': 'A=two\n',
  });
  const { servers, launches } = await loadConfig({ cwd: here.path, env, layers: ['project'], envFiles });
  expect(servers).toMatchObject([{ env: { IT: value }, ...(value !== '' && { sensitive: [['env', 'IT']] }) }]);
  expect(launches.get('it')?.filled).toEqual(value === 'beside' ? { A: 'beside' } : undefined);
});

test('named files fill all configs and given texts, are redacted, and fill no reference', async () => {
  const text = JSON.stringify({ mcp_servers: { given: { command: 'x', env: { T: '${API_TOKEN}' } } } });
  await using here = await configFolder({
    'mcp_servers.yaml': JSON.stringify({
      mcp_servers: { it: { command: 'x', env: { T: '${API_TOKEN}', R: { secret_ref: 'env:API_TOKEN' } } } },
    }),
    'secrets.env': 'export API_TOKEN="SENTINEL-5f1c9a7e2b"\n',
  });
  const { servers, redactor } = await loadConfig({
    cwd: here.path,
    env: {},
    files: ['mcp_servers.yaml'],
    envFiles: ['secrets.env'],
    given: {
      when: 'always',
      read: async () => ({ texts: [{ path: '/a', layer: 'user', root: '/', text }], paths: [] }),
    },
  });
  expect(servers.map((server) => server.transport === 'stdio' && server.env)).toEqual([
    { T: 'SENTINEL-5f1c9a7e2b' },
    { T: 'SENTINEL-5f1c9a7e2b' },
  ]);
  expect(redactor.redact('it is SENTINEL-5f1c9a7e2b')).not.toContain('SENTINEL');
  const lookup = loadConfig({
    cwd: here.path,
    env: {},
    files: ['mcp_servers.yaml'],
    envFiles: ['secrets.env'],
    secrets: 'resolve',
  });
  await expect(lookup).rejects.toThrow('API_TOKEN');
});

test('a missing named file is an error, and an invalid line an issue at its place', async () => {
  await using here = await configFolder({ 'mcp_servers.yaml': config('${A}'), 'bad.env': 'A=1\nnot a line\n' });
  const load = (file: string) => loadConfig({ cwd: here.path, env: {}, layers: ['project'], envFiles: [file] });
  await expect(load('none.env')).rejects.toMatchObject({
    code: 'unreadable',
    message: expect.stringContaining('none.env'),
  });
  await expect(load('.')).rejects.toMatchObject({ code: 'unreadable' });
  await expect(load('bad.env')).rejects.toMatchObject({
    code: 'invalid-config',
    issues: expect.arrayContaining([expect.objectContaining({ code: 'syntax', file: 'bad.env', line: 2 })]),
  });
});

test('the watch follows a named file', async () => {
  await using here = await configFolder({ 'mcp_servers.yaml': config('${A}'), 'etc/one.env': 'A=one\n' });
  await using watch = watchConfig({
    cwd: here.path,
    env: {},
    layers: ['project'],
    envFiles: ['etc/one.env'],
    quietMs: 10,
  });
  expect((await watch.next()).value?.config?.servers).toMatchObject([{ env: { IT: 'one' } }]);
  await here.write('etc/one.env', 'A=two\n');
  expect((await watch.next()).value?.config?.servers).toMatchObject([{ env: { IT: 'two' } }]);
  await rm(`${here.path}/etc/one.env`);
  expect((await watch.next()).value).toMatchObject({ isCurrent: false, error: { code: 'unreadable' } });
});
