import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { stubUserConfig } from '../helpers/user-config.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

afterEach(async () => {
  vi.unstubAllEnvs();
  await expectNoLeaks();
});

const nobody = { env: { MCPX_TRUST: undefined } };
const servers = (entries: object, settings: object = {}): string =>
  JSON.stringify({ mcp_servers: entries, mcp_settings: settings });

/** An address that answers nothing and counts requests. */
async function countingServer() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url, requests, [Symbol.asyncDispose]: close };
}

/** Writes files of the user's own config directory. */
async function ownConfig(user: UserWorld, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = stubUserConfig(user.home);
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

describe('the address of a cloned project', () => {
  test.each([
    ['alone', {}],
    [
      'with a sign-in and a tool as the health check',
      { auth: { provider: 'oauth' }, health_check: { method: 'tool_call', tool: 'x' } },
    ],
  ])('%s gets no request before the user agrees', async (_, fields) => {
    await using web = await countingServer();
    await using user = await userWorld({
      'project/mcp_servers.yaml': servers({ web: { url: web.url, auto_start: true, ...fields } }),
    });
    for (const argv of [
      ['status'],
      ['health'],
      ['doctor'],
      ['call', 'web.x'],
      ['discover', 'web'],
      ['login', 'web'],
      ['serve', '--own-servers'],
    ]) {
      await user.run(argv, nobody);
      expect([argv, web.requests]).toEqual([argv, []]);
    }
    expect((await user.run(['call', 'web.x'], nobody)).exitCode).toBe(exitCodes.config);
    await user.run(['call', 'web.x', '--trust'], nobody);
    expect(web.requests).not.toEqual([]);
  });
});

test('health of a server that waits for consent exits with 3', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': servers({ echo: { ...testServer('echo'), auto_start: true } }),
  });
  const { exitCode, stderr } = await user.run(['health'], nobody);
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain('Run "mcpx trust"');
});

describe.skipIf(process.platform !== 'linux')('a cloned project beside the config of the user', () => {
  const echo = { ...testServer('echo'), auto_start: true };

  test('does not get consent by a link to that config', async () => {
    await using user = await userWorld();
    const directory = await ownConfig(user, { 'mcp_servers.yaml': servers({ echo }) });
    expect((await user.run(['call', 'echo.echo', 'text=hi'], nobody)).exitCode).toBe(exitCodes.ok);
    await symlink(join(directory, 'mcp_servers.yaml'), join(user.project, 'mcp_servers.yaml'));
    expect((await user.run(['call', 'echo.echo', 'text=hi'], nobody)).exitCode).toBe(exitCodes.config);
  });

  test('replaces a server of the user only with consent, at an address, too', async () => {
    await using web = await countingServer();
    await using user = await userWorld({
      'project/.mcp.json': JSON.stringify({ mcpServers: { echo: { url: web.url } } }),
    });
    await ownConfig(user, { 'mcp_servers.yaml': servers({ echo }) });
    const { exitCode } = await user.run(['call', 'echo.echo', 'text=secret'], nobody);
    expect([exitCode, web.requests]).toEqual([exitCodes.config, []]);
    expect((await user.run(['trust'], nobody)).stderr).toContain('replaces your own server of this name in ');
  });

  test('adds no role beside those of the user', async () => {
    const role = (name: string, more: object = {}) =>
      JSON.stringify({ tools: { app: { role_restrictions: { [name]: { allowed_tools: ['echo'], ...more } } } } });
    await using user = await userWorld({
      'project/tools.yaml': role('employee', { default: true }),
      'project/.mcp.json': '{"mcpServers":{}}',
    });
    await ownConfig(user, { 'mcp_servers.yaml': servers({ echo }), 'tools.yaml': role('review') });
    const call = (name: string) => user.run(['call', '--role', name, 'echo.echo', 'text=hi'], nobody);
    expect(await call('employee')).toMatchObject({
      exitCode: exitCodes.usage,
      stderr: expect.stringContaining('No role is named "employee"'),
    });
    expect((await call('review')).exitCode).toBe(exitCodes.ok);
    expect((await user.run(['validate'], nobody)).stderr).toContain('warning project-role');
  });

  test('has its files run by no server of the user', async () => {
    const prints = (word: string): string => `console.error('${word}'); process.exit(1);\n`;
    await using user = await userWorld({
      'project/server.mjs': prints('of the project'),
      'project/.mcp.json': '{"mcpServers":{}}',
    });
    const mine = { command: process.execPath, args: ['server.mjs'] };
    await ownConfig(user, { 'mcp_servers.yaml': servers({ mine }), 'server.mjs': prints('of the user') });
    const { stderr } = await user.run(['discover', 'mine', '--refresh'], nobody);
    expect(stderr).toContain('of the user');
    expect(stderr).not.toContain('of the project');
  });
});

test.skipIf(process.platform === 'win32')('logs reads no file that a project links to', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': servers({ docs: testServer('echo') }, { log_directory: 'logs' }),
    'project/logs/x': '',
    'home/id': 'PRIVATE-KEY\n',
  });
  await symlink(join(user.home, 'id'), join(user.project, 'logs', 'docs.log'));
  const { stdout, stderr } = await user.run(['logs', 'docs'], nobody);
  expect(stdout + stderr).not.toContain('PRIVATE');
});

test('the health check calls no tool that waits for an approval', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': servers({
      echo: { ...testServer('echo'), auto_start: true, health_check: { method: 'tool_call', tool: 'fail' } },
    }),
  });
  expect((await user.run(['health'])).exitCode).toBe(exitCodes.startFailed);
  await user.run(['pins', 'mode', 'approve']);
  expect((await user.run(['health'])).exitCode).toBe(exitCodes.ok);
  await user.run(['discover', 'echo', '--refresh']);
  await user.run(['pins', 'approve', '--server', 'echo']);
  expect((await user.run(['health'])).exitCode).toBe(exitCodes.startFailed);
});
