// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseConfig } from '@x/mcp-config-schema';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readBundle } from '../../src/adding/bundle.js';
import { removeBundle } from '../../src/adding/bundle-folder.js';
import { exitCodes } from '../../src/command.js';
import { stubUserConfig } from '../helpers/user-config.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';
import { type ZipEntry, zipFile } from '../helpers/zip-file.js';

afterEach(() => vi.unstubAllEnvs());

const npm = {
  registryType: 'npm',
  identifier: '@example/weather',
  version: '1.2.3',
  transport: { type: 'stdio' },
  packageArguments: [
    { type: 'named', name: '--units', default: 'metric', choices: ['metric', 'imperial'] },
    { type: 'positional', valueHint: 'place', isRequired: true },
    { type: 'positional', value: '${HOME} ${city} {city}', variables: { city: { default: '{HOME}' } } },
  ],
  environmentVariables: [
    { name: 'WEATHER_KEY', isRequired: true, isSecret: true },
    { name: 'LEVEL', default: 'info' },
    { name: 'EXTRA' },
  ],
};
const weather = { name: 'io.github.example/weather', version: '1.2.3', description: 'x', packages: [npm] };

const set = { WEATHER_KEY: 'k', WEATHER_PLACE: 'Rome', WEATHER_X_KEY: 'x' };

async function servers(user: UserWorld, env: Readonly<Record<string, string>> = {}) {
  const text = await user.read('project/mcp_servers.yaml');
  return parseConfig({ text }, { variables: { ...set, ...env } }).servers;
}

/** A registry that knows some servers, on this machine. */
async function registry(
  known: Readonly<Record<string, object>>,
): Promise<{ url: string; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [, name = '', version = ''] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const found = known[`${decodeURIComponent(name)}@${version}`];
    const list = { servers: Object.values(known), metadata: {} };
    response.statusCode = found || /^\/v0\.1\/servers\?/.test(request.url ?? '') ? 200 : 404;
    response.end(JSON.stringify(found ?? list));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

describe('a server.json', () => {
  test('of an npm package is pinned, held back, and names no variable of the user by itself', async () => {
    await using user = await userWorld({ 'project/server.json': JSON.stringify(weather) });
    const { exitCode, stdout, stderr } = await user.run(['add', 'server.json', '--json'], { env: { MCPX_TRUST: '' } });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: exitCodes.ok });
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'weather',
      variables: ['WEATHER_PLACE', 'WEATHER_KEY'],
      waitsForConsent: true,
    });
    expect(await servers(user)).toMatchObject([
      {
        command: 'npx',
        args: ['-y', '@example/weather@1.2.3', '--units', 'metric', 'Rome', '${HOME} ${HOME} {HOME}'],
        env: { WEATHER_KEY: 'k', LEVEL: 'info' },
      },
    ]);
    const trust = await user.run(['trust', '--yes', '--json'], { env: set });
    expect(JSON.parse(trust.stdout).agreed).toMatchObject([{ server: 'weather' }]);
  });

  test('takes inputs, variables and a name of the user', async () => {
    await using user = await userWorld({ 'project/server.json': JSON.stringify(weather) });
    const words = [
      'add',
      'w',
      'server.json',
      '--input',
      'units=imperial',
      '--input',
      'place=Oslo',
      '--env',
      'LEVEL=debug',
      '--env',
      'A=b',
    ];
    const { exitCode, stdout, stderr } = await user.run([...words, '--trust']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stderr).toMatch(/^You gave consent to run:\n[\s\S]*npx -y @example\/weather@1\.2\.3 --units imperial/);
    expect(stderr).toMatch(
      /\nSet WEATHER_KEY before the server starts: in the environment, or in \.env beside the config\.\n$/,
    );
    expect(stdout).toContain('✓ Wrote mcp_servers.yaml with w.\n');
    expect(await servers(user)).toMatchObject([
      {
        name: 'w',
        args: ['-y', '@example/weather@1.2.3', '--units', 'imperial', 'Oslo', '${HOME} ${HOME} {HOME}'],
        env: { LEVEL: 'debug', A: 'b' },
      },
    ]);
    expect(JSON.parse((await user.run(['trust', '--json'], { env: set })).stdout)).toEqual({ agreed: [] });
  });

  test.each([
    [
      { registryType: 'pypi', identifier: 'weather-mcp', version: '0.5.0' },
      'uvx',
      ['--from', 'weather-mcp==0.5.0', 'weather-mcp'],
    ],
    [
      {
        registryType: 'oci',
        identifier: 'ghcr.io/example/w:1.0',
        environmentVariables: [{ name: 'LEVEL', default: 'info' }],
      },
      'docker',
      ['run', '-i', '--rm', '-e', 'LEVEL', 'ghcr.io/example/w:1.0'],
    ],
    [
      { registryType: 'oci', identifier: `example/w@sha256:${'a'.repeat(64)}` },
      'docker',
      ['run', '-i', '--rm', `example/w@sha256:${'a'.repeat(64)}`],
    ],
    [
      { registryType: 'oci', identifier: 'example/w', version: '1.0.2' },
      'docker',
      ['run', '-i', '--rm', 'example/w:1.0.2'],
    ],
  ])('starts %j', async (item, command, args) => {
    const text = JSON.stringify({ ...weather, packages: [{ ...item, transport: { type: 'stdio' } }] });
    await using user = await userWorld({ 'project/server.json': text });
    expect(await user.run(['add', 'server.json'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await servers(user)).toMatchObject([{ command, args }]);
  });

  test('with a remote gets its headers', async () => {
    const remote = {
      type: 'streamable-http',
      url: 'https://{region}.example.com/mcp',
      variables: { region: { default: 'eu' } },
      headers: [
        { name: 'X-Key', isRequired: true, isSecret: true },
        { name: 'X-Plan', value: 'free' },
      ],
    };
    await using user = await userWorld({ 'project/server.json': JSON.stringify({ ...weather, remotes: [remote] }) });
    expect(await user.run(['add', 'server.json', '-t', 'http'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await servers(user)).toMatchObject([
      { url: 'https://eu.example.com/mcp', headers: { 'X-Key': 'x', 'X-Plan': 'free' } },
    ]);
  });

  test.each([
    ['a range', { ...npm, version: '^1.0.0' }, /no exact version/],
    ['the latest version', { ...npm, version: 'latest' }, /no exact version/],
    ['no version', { ...npm, version: undefined }, /no exact version/],
    ['an image without a tag', { registryType: 'oci', identifier: 'example/w' }, /no exact version/],
    ['an option as a name', { ...npm, identifier: '--call=evil' }, /a name that npm does not allow/],
    ['another registry', { ...npm, registryBaseUrl: 'https://npm.example' }, /not the registry of npm/],
    ['another kind', { registryType: 'nuget', identifier: 'X', version: '1.0.0' }, /it starts npm, pypi and oci/],
    ['another transport', { ...npm, transport: { type: 'sse', url: 'http://x' } }, /over stdio only/],
    ['an old format', { registry_type: 'npm' }, /before version 2025-09-16/],
  ])('with %s is refused with the reason', async (_case, item, reason) => {
    await using user = await userWorld({ 'project/server.json': JSON.stringify({ ...weather, packages: [item] }) });
    const { exitCode, stderr } = await user.run(['add', 'server.json']);
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toMatch(reason);
    await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    [['--input', 'unit=metric'], 'The server has no input "unit". Did you mean "units"?'],
    [['--input', 'units=kelvin'], 'The input "units" must be one of metric, imperial.'],
    [['--input', 'units'], 'must have the form NAME=value'],
  ])('refuses %j', async (words, message) => {
    await using user = await userWorld({ 'project/server.json': JSON.stringify(weather) });
    const { exitCode, stderr } = await user.run(['add', 'server.json', ...words]);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain(message);
  });

  test('in the config of the user needs consent before it is written', async () => {
    await using user = await userWorld({ 'project/server.json': JSON.stringify(weather) });
    stubUserConfig(user.home);
    const refused = await user.run(['add', 'server.json', '--global']);
    expect(refused.exitCode).toBe(exitCodes.config);
    expect(refused.stderr).toMatch(/runs {5}npx -y @example\/weather@1\.2\.3 [\s\S]*Add --trust/);
    expect(await user.run(['add', 'server.json', '--global', '--trust'])).toMatchObject({ exitCode: exitCodes.ok });
  });
});

describe('a name of the MCP Registry', () => {
  const response = (server: object, status = 'active') => ({
    server,
    _meta: { 'io.modelcontextprotocol.registry/official': { status, statusMessage: 'use weather2' } },
  });

  test('is added in its latest version, or in a named one', async () => {
    const known = {
      [`${weather.name}@latest`]: response(weather),
      [`${weather.name}@1.0.0`]: response({ ...weather, packages: [{ ...npm, version: '1.0.0' }] }, 'deprecated'),
    };
    await using mcpRegistry = await registry(known);
    await using user = await userWorld();
    const env = { MCPX_REGISTRY: mcpRegistry.url };
    expect(await user.run(['add', weather.name], { env })).toMatchObject({ exitCode: exitCodes.ok });
    const old = await user.run(['add', 'old', `${weather.name}@1.0.0`, '--registry', `${mcpRegistry.url}/`]);
    expect(old.stderr).toContain('is deprecated: use weather2.');
    expect((await servers(user)).map((server) => server.transport === 'stdio' && server.args[1])).toEqual([
      '@example/weather@1.2.3',
      '@example/weather@1.0.0',
    ]);
    expect(mcpRegistry.asked).toEqual([
      '/v0.1/servers/io.github.example%2Fweather/versions/latest',
      '/v0.1/servers/io.github.example%2Fweather/versions/1.0.0',
    ]);
  });

  test('that is unknown, deleted or answered wrongly adds nothing', async () => {
    const known = {
      [`${weather.name}@latest`]: response(weather, 'deleted'),
      'io.github.example/other@latest': response({ ...weather, name: 'io.github.evil/weather' }),
    };
    await using mcpRegistry = await registry(known);
    await using user = await userWorld();
    const add = (name: string) => user.run(['add', name], { env: { MCPX_REGISTRY: mcpRegistry.url } });
    const unknown = await add('io.github.example/wheather');
    expect(unknown.exitCode).toBe(exitCodes.notFound);
    expect(unknown.stderr).toContain(
      'has no server "io.github.example/wheather". Did you mean "io.github.example/weather"?',
    );
    expect(unknown.stderr).toContain(
      `\nIts servers with such a name: ${new URL('v0.1/servers?search=wheather&limit=30', mcpRegistry.url).href}\n`,
    );
    expect((await add(weather.name)).stderr).toContain('was deleted by its author: use weather2.');
    expect((await add('io.github.example/other')).stderr).toContain('it answered with "io.github.evil/weather"');
    await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('shows no escapes and no line breaks of a registry or a file', async () => {
    const hostile = 'x\n\u009b2J\u202e\u001b[31mAll is well';
    const known = {
      [`${weather.name}@latest`]: { ...response(weather, 'deprecated') },
      'io.github.example/other@latest': response({ ...weather, name: hostile }),
    };
    Object.values(known[`${weather.name}@latest`]?._meta ?? {}).forEach((meta) => {
      meta.statusMessage = hostile;
    });
    await using mcpRegistry = await registry(known);
    await using user = await userWorld({ 'project/bad.json': hostile });
    const add = (name: string) => user.run(['add', name], { env: { MCPX_REGISTRY: mcpRegistry.url } });
    const told = [await add(weather.name), await add('io.github.example/other'), await add('bad.json')];
    expect(told[0]?.stderr).toContain('is deprecated: x All is well.\n');
    expect(told[1]?.stderr).toContain('it answered with "x');
    expect(told[2]?.stderr).toContain('bad.json is not JSON');
    for (const { stderr } of told) {
      expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(stderr).not.toMatch(/^\S*All is well/m);
    }
  });

  test('needs a registry that can be reached safely', async () => {
    await using user = await userWorld();
    const remote = await user.run(['add', weather.name, '--registry', 'http://registry.example']);
    expect(remote.stderr).toContain('must be an https:// URL, or http:// on this machine');
    const gone = await user.run(['add', weather.name, '--registry', 'http://127.0.0.1:1']);
    expect(gone.exitCode).toBe(exitCodes.failed);
    expect(gone.stderr).toContain('The MCP Registry at http://127.0.0.1:1 cannot be used');
  });
});

describe('an .mcpb bundle', () => {
  const manifest = {
    manifest_version: '0.2',
    name: 'My Files',
    version: '1.0.0',
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/index.js', '${user_config.folders}', '${SECRET_OF_USER}', '$${user_config.sly}'],
        env: { KEY: '${user_config.key}', MODE: '${user_config.mode}' },
      },
    },
    user_config: {
      folders: { type: 'directory', multiple: true, default: ['/a', '/b'] },
      key: { type: 'string', sensitive: true, required: true },
      mode: { type: 'string' },
      sly: { type: 'string', default: '{SECRET_OF_USER}' },
    },
  };
  const good: readonly ZipEntry[] = [
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'server/', mode: 0o040755 },
    { name: 'server/index.js', content: 'x' },
    { name: 'server/run', content: '#!/bin/sh', mode: 0o100755 },
  ];

  const withLaunch = (mcp_config: object): readonly ZipEntry[] => [
    { name: 'manifest.json', content: JSON.stringify({ ...manifest, server: { ...manifest.server, mcp_config } }) },
  ];

  test('with a long name and an entry "./" is unpacked below a short name', async () => {
    await using user = await userWorld();
    const content = JSON.stringify({
      ...manifest,
      name: 'n'.repeat(5_000),
      server: { mcp_config: { command: '${__dirname}/run', env: { 'a b': 'x' } } },
    });
    const entries = [{ name: './', mode: 0o040755 }, { name: 'manifest.json', content }, { name: 'run' }];
    await writeFile(join(user.project, 'x.mcpb'), zipFile(entries));
    const { exitCode, stderr } = await user.run(['add', 'x.mcpb', '--trust']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: exitCodes.ok });
    expect(stderr).toContain('No variable can have the name "a b". It was left out.');
    expect(stderr).toMatch(/You gave consent to run:[\s\S]*\/run/);
    const [folder = ''] = await readdir(join(user.state, 'bundles'));
    expect(await servers(user)).toMatchObject([
      { name: 'n'.repeat(64), command: join(user.state, 'bundles', folder, 'run') },
    ]);
  });

  test('that is replaced after it was read is refused', async () => {
    await using user = await userWorld();
    const path = join(user.project, 'x.mcpb');
    await writeFile(path, zipFile(good));
    const bundle = await readBundle(path, user.state);
    await writeFile(path, zipFile([...good, { name: 'evil', content: 'x' }]));
    await expect(bundle.unpack()).rejects.toThrow('it was replaced after it was read');
    expect(await readdir(join(user.state, 'bundles'))).toEqual([]);
  });

  test('is unpacked into a private folder once, and its entry names no variable of the user', async () => {
    await using user = await userWorld();
    await writeFile(join(user.project, 'files.mcpb'), zipFile(good));
    const dry = await user.run(['add', 'files.mcpb', '--dry-run']);
    expect(dry.exitCode).toBe(exitCodes.ok);
    await expect(stat(join(user.state, 'bundles'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await user.run(['add', 'files.mcpb'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.run(['add', 'again', 'files.mcpb'])).toMatchObject({ exitCode: exitCodes.ok });
    const [folder = '', ...others] = await readdir(join(user.state, 'bundles'));
    expect(others).toEqual([]);
    const path = join(user.state, 'bundles', folder);
    expect(await readFile(join(path, 'server/index.js'), 'utf8')).toBe('x');
    const modes = [path, join(path, 'server'), join(path, 'server/index.js'), join(path, 'server/run')];
    expect(await Promise.all(modes.map(async (each) => (await stat(each)).mode & 0o777))).toEqual([
      0o700, 0o700, 0o600, 0o700,
    ]);
    const found = await servers(user, { MY_FILES_KEY: 'k', SECRET_OF_USER: 'leaked' });
    expect(found).toMatchObject([
      {
        name: 'My-Files',
        command: 'node',
        args: [join(path, 'server/index.js'), '/a', '/b', '${SECRET_OF_USER}', '${SECRET_OF_USER}'],
        env: { KEY: 'k' },
      },
      { name: 'again' },
    ]);
  });

  const foldersOf = (user: UserWorld) => readdir(join(user.state, 'bundles')).catch(() => []);

  test('has no folder once its add is taken back, and has it again when that is taken back', async () => {
    await using user = await userWorld();
    const path = join(user.project, 'files.mcpb');
    await writeFile(path, zipFile(good));
    await user.run(['add', 'files.mcpb']);
    const folders = await foldersOf(user);
    expect(folders).toHaveLength(1);
    await user.run(['config', 'undo', '--dry-run']);
    expect(await foldersOf(user)).toEqual(folders);
    expect(await user.run(['config', 'undo'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await foldersOf(user)).toEqual([]);
    expect(await user.run(['config', 'undo', '2'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await foldersOf(user)).toEqual(folders);
    expect(await readFile(join(user.state, 'bundles', folders[0] ?? '', 'server/index.js'), 'utf8')).toBe('x');
    await user.run(['config', 'undo', '3']);
    await writeFile(path, zipFile([...good, { name: 'more', content: 'x' }]));
    const refused = await user.run(['config', 'undo', '4']);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('files.mcpb is no longer the bundle that was added. Nothing was written.');
    expect(await foldersOf(user)).toEqual([]);
  });

  test.each(['..', '.', '/', ''])('an edited journal removes nothing else: the folder %j', async (folder) => {
    await using user = await userWorld();
    const kept = join(user.state, 'bundles', 'kept');
    await mkdir(kept, { recursive: true });
    const change = { did: 'remove', folder, file: join(user.project, 'files.mcpb') } as const;
    await expect(removeBundle(change, user.state)).rejects.toThrow('is no folder of a bundle');
    expect(await readdir(kept)).toEqual([]);
  });

  test.each<[string, (user: UserWorld, path: string) => Promise<unknown>]>([
    ['its file is gone', (_, path) => rm(path)],
    ['another server runs from it', (user, path) => user.run(['add', 'again', path], { cwd: user.home })],
  ])('keeps its folder when its add is taken back while %s', async (_, before) => {
    await using user = await userWorld();
    const path = join(user.project, 'files.mcpb');
    await writeFile(path, zipFile(good));
    await user.run(['add', 'files.mcpb']);
    const folders = await foldersOf(user);
    await before(user, path);
    expect(await user.run(['config', 'undo', '1'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(folders).toHaveLength(1);
    expect(await foldersOf(user)).toEqual(folders);
  });

  test.each<[string, readonly ZipEntry[], RegExp]>([
    ['a path that leads outside', [...good, { name: '../evil', content: 'x' }], /invalid relative path/],
    ['an absolute path', [...good, { name: '/tmp/evil', content: 'x' }], /absolute path/],
    ['a path with backslashes', [...good, { name: '..\\evil', content: 'x' }], /invalid characters/],
    ['a link', [...good, { name: 'link', content: '/etc', mode: 0o120777 }], /is a link or a special file/],
    ['one file twice', [...good, { name: 'server/index.js', content: 'y' }], /two entries with the name/],
    ['names that differ in case', [...good, { name: 'Server/INDEX.js', content: 'y' }], /two entries with the name/],
    ['a name with control characters', [...good, { name: 'a\u001b[2Jb', content: 'y' }], /control characters/],
    [
      'a name that no file can have',
      [...good, { name: 'x'.repeat(300), content: 'y' }],
      /cannot be unpacked \(ENAMETOOLONG\)/,
    ],
    ['a false checksum', [...good, { name: 'a', content: 'x', checksum: 7 }], /another checksum/],
    ['a manifest with a false checksum', [{ ...good[0], name: 'manifest.json', checksum: 7 }], /another checksum/],
    ['too many arguments', withLaunch({ command: 'node', args: Array(201).fill('x') }), /more than 200 arguments/],
    ['a command above', withLaunch({ command: '../../bin/evil' }), /a path outside of it/],
    ['a command above its folder', withLaunch({ command: '${__dirname}/../../x' }), /a path outside of it/],
    ['a command in another folder', withLaunch({ command: '${HOME}/x' }), /a path outside of it/],
    ['a command that is the folder', withLaunch({ command: './' }), /a path outside of it/],
    ['a false size', [...good, { name: 'big', content: 'x', size: 7 }], /[Ss]ize|bytes/],
    ['too much content', [...good, { name: 'big', content: 'x', size: 2_000_000_000 }], /bytes|size/i],
    ['no manifest', good.slice(1), /no manifest\.json/],
    ['a manifest that is no JSON', [{ name: 'manifest.json', content: '{' }], /manifest is not JSON/],
    ['a manifest without a server', [{ name: 'manifest.json', content: '{"name":"x"}' }], /"name" and "server"/],
    [
      'another platform',
      [{ name: 'manifest.json', content: JSON.stringify({ ...manifest, compatibility: { platforms: ['beos'] } }) }],
      /it runs on beos/,
    ],
  ])('with %s is refused, and nothing is left', async (_case, entries, reason) => {
    await using user = await userWorld();
    await writeFile(join(user.project, 'x.mcpb'), zipFile(entries));
    const { exitCode, stderr } = await user.run(['add', 'x.mcpb']);
    expect(stderr).toMatch(reason);
    expect(exitCode).toBe(exitCodes.failed);
    expect(await readdir(join(user.state, 'bundles')).catch(() => [])).toEqual([]);
    await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that is no zip file, or does not exist, is refused', async () => {
    await using user = await userWorld({ 'project/x.mcpb': 'no zip' });
    expect((await user.run(['add', 'x.mcpb'])).stderr).toMatch(
      /x\.mcpb cannot be added: .*[^.]\. Nothing was written\.\n/,
    );
    expect(await user.run(['add', 'x', 'x.mcpb', '--', 'node'])).toMatchObject({
      exitCode: exitCodes.usage,
      stderr: expect.stringContaining('"x.mcpb" is a bundle, which takes no arguments.\n'),
    });
    expect((await user.run(['add', 'y.mcpb'])).stderr).toContain('y.mcpb does not exist.');
  });
});
