// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { join } from 'node:path';
import { parseConfig } from '@x/mcp-config-schema';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { answeringTerminal } from '../helpers/answering-terminal.js';
import { keyStoreInMemory } from '../helpers/key-store.js';
import { faultsOf } from '../helpers/output-schema.js';
import { userWorld } from '../helpers/user-world.js';

const secrets = ['SENTINEL-5f1c9a7e2b', 'SENTINEL-77ab03d1c4', 'SENTINEL-e8d2f0b6a9'];
const cursor = JSON.stringify({
  mcpServers: {
    db: { command: 'uvx', args: ['db-mcp', `--api-key=${secrets[0]}`], env: { DB_PASSWORD: secrets[1], MODE: 'fast' } },
    web: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${secrets[2]}` } },
    templates: { command: '/opt/my tools/run', args: ['{{root}}', '${env:HOME}'] },
    gateway: { command: 'mcpx', args: ['serve'] },
    'no\u0007name': { command: 'x' },
  },
});

test('servers of a host app become a valid config with variables for secrets', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const { exitCode, stdout, stderr } = await user.run(['import', 'cursor']);
  expect(exitCode).toBe(exitCodes.ok);
  const variables = { DB_API_KEY: 'one', DB_PASSWORD: 'two', WEB_TOKEN: 'three', HOME: '/home/me' };
  const { servers, settings } = parseConfig({ text: stdout, places: { root: '/root' } }, { variables });
  expect(settings.autoStartDefault).toBe(true);
  expect(servers).toMatchObject([
    { name: 'db', command: 'uvx', args: ['db-mcp', '--api-key=one'], env: { DB_PASSWORD: 'two', MODE: 'fast' } },
    { name: 'web', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer three' } },
    { name: 'templates', command: '/opt/my tools/run', args: ['{{root}}', '/home/me'] },
  ]);
  expect(stdout).toMatch(/^# yaml-language-server: \$schema=\S+mcp-servers\.schema\.json\n/);
  expect(stdout).toContain(`# from ${join(user.home, '.cursor/mcp.json')}\n  # args.1: set DB_API_KEY`);
  expect(stderr).toContain('left out gateway (cursor-user): it is mcpx itself\n');
  expect(stderr).toContain('Set DB_API_KEY, DB_PASSWORD, WEB_TOKEN before a start.\n');
  for (const secret of secrets) expect(user.told()).not.toContain(secret);
  expect(user.told()).not.toContain('\u0007');
});

test('prints JSON with the position of each secret', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const report = JSON.parse((await user.run(['import', '--json'])).stdout);
  expect(Object.keys(report)).toEqual(['servers', 'origins', 'secrets', 'skipped', 'warnings']);
  expect(report.servers.web).toEqual({
    url: 'https://example.com/mcp',
    headers: { Authorization: 'Bearer ${WEB_TOKEN}' },
  });
  expect(report.secrets).toContainEqual({ server: 'web', variable: 'WEB_TOKEN', place: 'headers.Authorization' });
  expect(JSON.stringify(report)).not.toMatch(new RegExp(secrets.join('|')));
});

test('the folder of an editor becomes the root of the project', async () => {
  const files = { command: 'files-mcp', args: ['${workspaceFolder}/src', '{{root}}'], env: { AT: '${userHome}' } };
  const servers = { files, plain: { command: 'x', cwd: '${workspaceFolder}' } };
  await using user = await userWorld({ 'home/.config/Code/User/mcp.json': JSON.stringify({ servers }) });
  const { stdout, stderr } = await user.run(['import', 'vscode']);
  const { servers: imported } = parseConfig({ text: stdout, places: { root: '/srv/app' } }, { variables: 'keep' });
  expect(imported).toMatchObject([{ args: ['/srv/app/src', '{{root}}'] }, { cwd: '/srv/app' }]);
  expect(stderr).not.toContain('plain');
});

test('on a terminal it asks for the values, and stores them where the user chooses', async () => {
  const entry = { command: 'notes-mcp', args: ['--token=SENTINEL-5f1c9a7e2b'], env: { DB_PASSWORD: secrets[1] } };
  await using user = await userWorld({ 'home/.cursor/mcp.json': JSON.stringify({ mcpServers: { notes: entry } }) });
  const keyStore = keyStoreInMemory();
  const { unanswered, streams, shown } = answeringTerminal([
    ['Value of NOTES_TOKEN', 'in-an-argument\r'],
    ['Value of DB_PASSWORD', 'in-the-keychain\r'],
    ['1 of 2, the others in .env', '\r'],
  ]);
  const { exitCode, stdout } = await user.run(['import'], { ...streams, keyStore: async () => keyStore });
  expect(unanswered).toEqual([]);
  expect(exitCode).toBe(exitCodes.ok);
  expect(keyStore.kept).toEqual(new Map([['DB_PASSWORD', 'in-the-keychain']]));
  expect(await user.read('project/.env')).toBe('NOTES_TOKEN=in-an-argument\n');
  const { servers } = parseConfig({ text: stdout }, { variables: { NOTES_TOKEN: 'x' } });
  expect(servers).toMatchObject([{ args: ['--token=x'], secrets: [{ reference: 'keychain:mcpx/DB_PASSWORD' }] }]);
  const written = stdout + shown();
  expect(written).not.toMatch(/in-an-argument|in-the-keychain|SENTINEL|before a start/);
});

test.each(['--yes', '--json'])('with %s it asks for nothing', async (option) => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const { streams } = answeringTerminal([]);
  expect(await user.run(['import', option], streams)).toMatchObject({ exitCode: exitCodes.ok });
  await expect(user.read('project/.env')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('of two servers of one name the first is imported, and the other is reported', async () => {
  await using user = await userWorld({
    'home/.cursor/mcp.json': '{ "mcpServers": { "a": { "command": "one" }, "same": { "command": "x" } } }',
    'home/.gemini/settings.json': '{ "mcpServers": { "a": { "command": "two" }, "same": { "command": "x" } } }',
  });
  const report = JSON.parse((await user.run(['import', 'cursor', 'gemini-cli', '--json'])).stdout);
  expect(report.servers).toEqual({ a: { command: 'one' }, same: { command: 'x' } });
  expect(report.skipped).toMatchObject([{ server: 'a', reason: expect.stringContaining('.cursor/mcp.json') }]);
});

test('an unreadable file is reported, and fails the command if it is the only one', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': '{ broken' });
  const { exitCode, stdout, stderr } = await user.run(['import', 'cursor']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error: .*mcp\.json/);
  expect((await user.run(['import', '--scope', 'project'])).stderr).toContain('in this project');
});

test('a server that speaks SSE does so after an import and a sync', async () => {
  const entry = { type: 'sse', url: 'https://example.com/sse' };
  const text = JSON.stringify({ mcpServers: { old: entry } });
  await using user = await userWorld({ 'home/.cline/data/settings/cline_mcp_settings.json': text });
  const { stdout } = await user.run(['import', 'cline']);
  expect(stdout).toContain('type: sse');
  await user.write('project/mcp_servers.yaml', stdout);
  expect((await user.run(['sync', 'gemini-cli', '--yes'])).exitCode).toBe(exitCodes.ok);
  const { mcpServers } = JSON.parse(await user.read('home/.gemini/settings.json'));
  expect(mcpServers).toEqual({ old: entry });
});

const mcporter = JSON.stringify({
  mcpServers: {
    files: { command: 'npx -y files-mcp .', lifecycle: 'keep-alive', blockedTools: ['write', 'files.read'] },
    tickets: {
      baseUrl: 'https://tickets.example.com/mcp',
      headers: { Authorization: '$env:TICKETS_TOKEN' },
      bearerToken: secrets[0],
      allowedTools: ['read'],
    },
  },
});

test('keeps restrictions of tools and reports settings that are not imported', async () => {
  await using user = await userWorld({ 'home/.mcporter/mcporter.json': mcporter });
  const { exitCode, stdout, stderr } = await user.run(['import', 'mcporter']);
  expect(exitCode).toBe(exitCodes.ok);
  const { servers } = parseConfig({ text: stdout }, { variables: 'keep' });
  expect(servers).toMatchObject([
    { name: 'files', command: 'npx', args: ['-y', 'files-mcp', '.'], deniedTools: ['write', 'files.read'] },
    { name: 'tickets', headers: { Authorization: '${TICKETS_TOKEN}' }, allowedTools: ['read'] },
  ]);
  expect(stderr).toContain(
    'warning files (mcporter-user): These fields have no counterpart and are not read: lifecycle\n',
  );
  expect(stderr).toContain(
    'warning tickets (mcporter-user): These fields have no counterpart and are not read: bearerToken\n',
  );
  const report = JSON.parse((await user.run(['import', 'mcporter', '--json'])).stdout);
  expect(report.servers.tickets.allowed_tools).toEqual(['read']);
  expect(report.secrets).toEqual([]);
  expect(report.skipped).toEqual([]);
  expect(report.warnings).toMatchObject([{ server: 'files' }, { server: 'tickets', host: 'mcporter-user' }]);
  expect(faultsOf('import', report)).toEqual([]);
  for (const secret of secrets) expect(user.told()).not.toContain(secret);
});

test('reports that time limits of calls are not imported', async () => {
  await using user = await userWorld({
    'home/.gemini/settings.json': '{ "mcpServers": { "a": { "command": "one", "timeout": 5000 } } }',
  });
  const report = JSON.parse((await user.run(['import', 'gemini-cli', '--json'])).stdout);
  expect(report.warnings).toMatchObject([{ server: 'a', message: expect.stringContaining('time limit') }]);
});

test.each([
  [{}, /^ {2}mcporter-user: there is no .*mcporter\.json$/m],
  [{ 'home/.mcporter/mcporter.json': '{ "mcpServers": {} }' }, /^error: No server can be imported/],
  [
    { 'home/.mcporter/mcporter.json': '{ "mcpServers": { "off": { "nothing": 1 } } }' },
    /^ {2}off \(mcporter-user\): The entry has neither a command nor a url$/m,
  ],
])('where nothing can be imported, no config is printed, and the reason is said: %j', async (files, reason) => {
  await using user = await userWorld(files);
  const { exitCode, stdout, stderr } = await user.run(['import', 'mcporter']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toBe('');
  expect(stderr).toMatch(reason);
  expect(stderr).toContain('mcpx sync --list');
  const json = await user.run(['import', 'mcporter', '--json']);
  expect(json.exitCode).toBe(exitCodes.failed);
  expect(JSON.parse(json.stdout).servers).toEqual({});
});
