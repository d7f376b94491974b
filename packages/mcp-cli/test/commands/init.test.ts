// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { parseConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { answeringTerminal } from '../helpers/answering-terminal.js';
import { keyStoreInMemory } from '../helpers/key-store.js';
import { mcpx } from '../helpers/serving.js';
import { userWorld } from '../helpers/user-world.js';

const cursor = '{ "mcpServers": { "db": { "command": "uvx", "env": { "DB_PASSWORD": "SENTINEL-5f1c9a7e2b" } } } }';

test('--yes writes a valid config without prompts, with the line for editors', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const { exitCode, stdout } = await user.run(['init', '--yes']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('✓ Wrote mcp_servers.yaml with an example server.\n');
  const text = await user.read('project/mcp_servers.yaml');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\S+\n/);
  expect(parseConfig({ text }).servers).toMatchObject([{ name: 'everything', autoStart: true }]);
  expect(await user.run(['validate'])).toMatchObject({ exitCode: exitCodes.ok });
});

test('the schema of an installed package is named by its path', async () => {
  const schema = 'node_modules/@x/mcp-config-schema/dist/schemas/mcp-servers.schema.json';
  await using user = await userWorld({ [`project/${schema}`]: '{}' });
  await user.run(['init', '--yes']);
  expect(await user.read('project/mcp_servers.yaml')).toContain(`$schema=./${schema}\n`);
});

test('a file that is there is never overwritten', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mine' });
  const { exitCode, stderr } = await user.run(['init', '--yes', '--from', 'all']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stderr).toContain('exists and is not overwritten.\n');
  expect(await user.read('project/mcp_servers.yaml')).toBe('mine');
});

test('a file that is there is found before anything is asked', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor, 'project/mcp_servers.yaml': 'mine' });
  for (const words of [['--from', 'all'], []]) {
    const { streams, shown } = answeringTerminal([]);
    const { exitCode } = await user.run(['init', ...words, '--file', 'mcp_servers.yaml'], streams);
    expect(exitCode).toBe(exitCodes.failed);
    expect(shown()).toMatch(/^error: \S+mcp_servers\.yaml exists and is not overwritten\.\n/);
  }
});

test('--from imports servers without their secrets', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const { stdout } = await user.run(['init', '--from', 'all', '--file', 'config/mcp_servers.yaml', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    file: join(user.project, 'config/mcp_servers.yaml'),
    servers: ['db'],
    secrets: [{ server: 'db', variable: 'DB_PASSWORD', place: 'env.DB_PASSWORD' }],
    skipped: [],
    warnings: [],
  });
  expect(user.told() + (await user.read('project/config/mcp_servers.yaml'))).not.toContain('SENTINEL');
});

test.each([
  ['no file', {}, 'mcporter-user: there is no '],
  ['a file of the project alone', { 'project/config/mcporter.json': cursor }, 'mcporter-user: there is no '],
  [
    'a file whose server is not understood',
    { 'home/.mcporter/mcporter.json': '{ "mcpServers": { "db": { "command": 7 } } }' },
    'db (mcporter-user): ',
  ],
])('--from a host app with %s is a failure, and nothing is written', async (_case, files, reason) => {
  await using user = await userWorld(files);
  const { exitCode, stdout, stderr } = await user.run(['init', '--from', 'mcporter']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toBe('');
  expect(stderr).toContain('No server of "mcporter" can be imported. Nothing was written.');
  expect(stderr).toContain(reason);
  expect(stderr).toContain('--scope project');
  await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('--from all imports all servers, even none', async () => {
  await using user = await userWorld();
  expect(await user.run(['init', '--from', 'all'])).toMatchObject({ exitCode: exitCodes.ok });
});

test('without a terminal and without --yes it writes nothing', async () => {
  await using user = await userWorld();
  const { exitCode, stderr } = await user.run(['init']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('This command must prompt, but there is no terminal.\nRun "mcpx init --yes"');
  await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('prompts on a terminal for the path, the servers and their values, which only .env contains', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor, 'project/.env': 'MINE=1' });
  const { unanswered, streams } = answeringTerminal([
    ['Where do you want the config?', '\x1b[B\r'],
    ['Import servers', '\r'],
    ['Value of DB_PASSWORD, for env.DB_PASSWORD of db', 'given secret\r'],
    ['Where do you want to store', '\x1b[B\r'],
  ]);
  const { exitCode, stdout } = await user.run(['init'], streams);
  expect(unanswered).toEqual([]);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('✓ Wrote config/mcp_servers.yaml with db.\n');
  expect(await user.read('project/config/mcp_servers.yaml')).toContain('DB_PASSWORD: ${DB_PASSWORD}');
  expect(await user.read('project/.env')).toBe("MINE=1\nDB_PASSWORD='given secret'\n");
  expect((await stat(join(user.project, '.env'))).mode & 0o777).toBe(0o600);
  expect(user.told()).not.toContain('given secret');
  const { servers } = await loadConfig({ cwd: user.project, env: {} });
  expect(servers).toMatchObject([{ env: { DB_PASSWORD: 'given secret' } }]);
  const report = await user.run(['status', '--json'], { env: { HOME: user.home } });
  expect(JSON.parse(report.stdout).servers[0].waitsForConsent).toBeUndefined();
});

test('values that VS Code asks for become variables, and a terminal is asked once for each', async () => {
  const servers = {
    notion: { command: 'npx', args: ['notion-mcp'], env: { AUTH: 'Bearer ${input:notion-token}' } },
    web: { type: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': '${input:notion-token}' } },
  };
  const inputs = [{ type: 'promptString', id: 'notion-token', password: true }];
  await using user = await userWorld({ 'home/.config/Code/User/mcp.json': JSON.stringify({ inputs, servers }) });
  const { stdout, stderr } = await user.run(['import', 'vscode', '--json']);
  const report = JSON.parse(stdout);
  expect(report.servers).toMatchObject({
    notion: { env: { AUTH: 'Bearer ${NOTION_TOKEN}' } },
    web: { headers: { 'X-Key': '${NOTION_TOKEN}' } },
  });
  expect(report.warnings).toEqual([]);
  expect(report.secrets).toContainEqual({
    server: 'notion',
    variable: 'NOTION_TOKEN',
    place: 'env.AUTH',
    input: 'notion-token',
  });
  expect(stderr).toBe('');
  const { unanswered, streams } = answeringTerminal([['Value of NOTION_TOKEN', 'given-secret\r']]); // also a part of a text
  await user.run(['init', '--from', 'vscode', '--file', 'mcp_servers.yaml'], streams);
  expect(unanswered).toEqual([]);
  expect(await user.read('project/mcp_servers.yaml')).toContain(
    '# env.AUTH: set NOTION_TOKEN, which the app asks for as "notion-token"',
  );
  expect(await user.read('project/.env')).toBe('NOTION_TOKEN=given-secret\n');
});

test('inputs of one id share a variable only if their apps describe them alike', async () => {
  const app = (server: string, description: string) => ({
    inputs: [{ type: 'promptString', id: 'api-key', description, password: true }],
    servers: { [server]: { command: server, env: { KEY: '${input:api-key}' } } },
  });
  await using user = await userWorld({
    'home/.config/Code/User/mcp.json': JSON.stringify(app('notes', 'Key of the notes')),
    'home/.config/Code - Insiders/User/mcp.json': JSON.stringify(app('mail', 'Key of the mail')),
  });
  const hosts = ['vscode', 'vscode-insiders'];
  const report = JSON.parse((await user.run(['import', ...hosts, '--json'])).stdout);
  expect(report.servers).toMatchObject({
    notes: { env: { KEY: '${API_KEY}' } },
    mail: { env: { KEY: '${MAIL_API_KEY}' } },
  });
  const { unanswered, streams } = answeringTerminal([
    ['Key of the notes', 'one\r'],
    ['Key of the mail', 'two\r'],
    ['Where do you want to store', '\x1b[B\r'],
  ]);
  await user.run(['init', ...hosts.flatMap((host) => ['--from', host]), '--file', 'a.yaml'], streams);
  expect(unanswered).toEqual([]);
  expect(await user.read('project/.env')).toBe('API_KEY=one\nMAIL_API_KEY=two\n');
});

test('a variable that .env has is not asked for', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor, 'project/.env': 'DB_PASSWORD=given\n' });
  const { streams, shown } = answeringTerminal([]);
  const { exitCode } = await user.run(['init', '--from', 'cursor', '--file', 'mcp_servers.yaml'], streams);
  expect(exitCode).toBe(exitCodes.ok);
  expect(await user.read('project/.env')).toBe('DB_PASSWORD=given\n');
  expect(shown()).not.toContain('DB_PASSWORD');
});

const inputsOfCode = {
  inputs: [
    { type: 'promptString', id: 'api-key', description: 'Key of the API', password: true },
    { type: 'promptString', id: 'team', description: 'Your team' },
    { type: 'pickString', id: 'region', description: 'Where it runs', options: ['eu', 'us'], default: 'us' },
    { type: 'pickString', id: 'level', options: ['low', 'high'] },
  ],
  servers: {
    notes: {
      command: 'notes-mcp',
      args: ['--region', '${input:region}'],
      env: { API_KEY: '${input:api-key}', TEAM: '${input:team}', LEVEL: '${input:level}' },
    },
    web: { type: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': '${input:api-key}' } },
  },
};

test('values of inputs are stored in the keychain, and those of arguments in .env; a list of options is offered', async () => {
  await using user = await userWorld({ 'home/.config/Code/User/mcp.json': JSON.stringify(inputsOfCode) });
  const keyStore = keyStoreInMemory();
  keyStore.kept.set('TEAM', 'another value');
  const { unanswered, streams } = answeringTerminal([
    ['Where it runs', '\r'],
    ['Key of the API', 'the-secret\r'],
    ['Your team', 'blue\r'],
    ['Value of LEVEL', '\x1b[B\x1b[B\r'], // later
    ['2 of 3, the others in .env', '\r'],
  ]);
  const words = ['init', '--from', 'vscode', '--file', 'mcp_servers.yaml'];
  await user.run(words, { ...streams, keyStore: async () => keyStore });
  expect(unanswered).toEqual([]);
  expect(keyStore.kept).toEqual(
    new Map([
      ['TEAM', 'another value'],
      ['API_KEY', 'the-secret'],
      ['TEAM_2', 'blue'],
    ]),
  );
  expect(await user.read('project/.env')).toBe('REGION=us\n');
  const text = await user.read('project/mcp_servers.yaml');
  const { servers } = parseConfig({ text }, { variables: { REGION: 'us', LEVEL: 'high' } });
  expect(servers).toMatchObject([
    {
      args: ['--region', 'us'],
      secrets: [{ reference: 'keychain:mcpx/API_KEY' }, { reference: 'keychain:mcpx/TEAM_2' }],
    },
    { secrets: [{ reference: 'keychain:mcpx/API_KEY' }] },
  ]);
  expect(text).not.toContain('API_KEY, which');
  expect(text).not.toContain('&');
  expect(text).toContain('set LEVEL, which the app asks for as "level"');
  expect(text + user.told()).not.toContain('the-secret');
});

test('without a keychain that can be reached, values are stored in .env without a question', async () => {
  await using user = await userWorld({ 'home/.config/Code/User/mcp.json': JSON.stringify(inputsOfCode) });
  const { unanswered, streams } = answeringTerminal([
    ['Where it runs', '\r'],
    ['Key of the API', 'the-secret\r'],
    ['Your team', '\r'],
    ['Value of LEVEL', '\r'],
  ]);
  const locked = { read: () => Promise.reject(new Error('locked')), write: () => Promise.reject(new Error('locked')) };
  const words = ['init', '--from', 'vscode', '--file', 'mcp_servers.yaml'];
  const { exitCode } = await user.run(words, { ...streams, keyStore: async () => locked } as never);
  expect(unanswered).toEqual([]);
  expect(exitCode).toBe(exitCodes.ok);
  expect(await user.read('project/.env')).toBe('REGION=us\nAPI_KEY=the-secret\nLEVEL=low\n');
});

test('Ctrl-C at a prompt writes nothing', async () => {
  await using user = await userWorld();
  const { streams } = answeringTerminal([['Where do you want the config?', '\x03']]);
  expect(await user.run(['init'], streams)).toMatchObject({ exitCode: exitCodes.interrupted, stdout: '' });
  await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
});

test.runIf(process.platform === 'linux')('the published program prompts and writes in a real terminal', async () => {
  await using user = await userWorld();
  const child = spawn(
    '/usr/bin/script',
    ['-qec', `stty cols 100 rows 30; '${process.execPath}' '${mcpx}' init`, '/dev/null'],
    {
      cwd: user.project,
      env: { PATH: process.env.PATH, HOME: user.home, TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let seen = '';
  child.stdout.on('data', (text: Buffer) => {
    const had = seen.includes('Where do you want the config');
    seen += stripVTControlCharacters(text.toString());
    if (!had && seen.includes('Where do you want the config')) child.stdin.write('\r');
  });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(seen).toContain('Wrote mcp_servers.yaml with an example server.');
  expect(parseConfig({ text: await readFile(join(user.project, 'mcp_servers.yaml'), 'utf8') }).servers).toHaveLength(1);
});
