// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { join } from 'node:path';
import { parseConfig } from '@x/mcp-config-schema';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/exit-codes.js';
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

test('what a host app has becomes a config that can be read; secrets become variables', async () => {
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

test('as JSON it is data, with where each secret stood', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': cursor });
  const report = JSON.parse((await user.run(['import', '--json'])).stdout);
  expect(Object.keys(report)).toEqual(['servers', 'origins', 'secrets', 'skipped']);
  expect(report.servers.web).toEqual({
    url: 'https://example.com/mcp',
    headers: { Authorization: 'Bearer ${WEB_TOKEN}' },
  });
  expect(report.secrets).toContainEqual({ server: 'web', variable: 'WEB_TOKEN', place: 'headers.Authorization' });
  expect(JSON.stringify(report)).not.toMatch(new RegExp(secrets.join('|')));
});

test('of two servers of one name the first is taken, and the other is told of', async () => {
  await using user = await userWorld({
    'home/.cursor/mcp.json': '{ "mcpServers": { "a": { "command": "one" }, "same": { "command": "x" } } }',
    'home/.gemini/settings.json': '{ "mcpServers": { "a": { "command": "two" }, "same": { "command": "x" } } }',
  });
  const report = JSON.parse((await user.run(['import', 'cursor', 'gemini-cli', '--json'])).stdout);
  expect(report.servers).toEqual({ a: { command: 'one' }, same: { command: 'x' } });
  expect(report.skipped).toMatchObject([{ server: 'a', reason: expect.stringContaining('.cursor/mcp.json') }]);
});

test('a file that cannot be read is told of, alone as a failure', async () => {
  await using user = await userWorld({ 'home/.cursor/mcp.json': '{ broken' });
  const { exitCode, stdout, stderr } = await user.run(['import', 'cursor']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error: .*mcp\.json/);
  expect((await user.run(['import', '--scope', 'project'])).stderr).toContain('in this project');
});
