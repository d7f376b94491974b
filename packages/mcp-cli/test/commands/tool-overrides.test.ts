import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

test('commands show the override of a tool, and know nothing of a hidden one', async () => {
  const tools = { echo: { description: 'Says it again' }, add: { hidden: true } };
  const file = serversFile([{ name: 'files', server: 'echo', fields: { tools } }]);
  await using here = await project({ 'mcp_servers.yaml': file });
  const env = { PATH: process.env.PATH, MCPX_TRUST: '1' };
  const options = { cwd: here.folder, env, stateDirectory: join(here.folder, 'state') };
  await runMcpx(['discover', 'files'], options);
  const { stdout } = await runMcpx(['search', '*', '--json'], options);
  expect(stdout).toContain('Says it again');
  expect(stdout).not.toContain('mcp__files__add');
  const called = await runMcpx(['call', 'files.add', '{"a":1,"b":2}'], options);
  expect(called.exitCode).not.toBe(exitCodes.ok);
});

test.each([true, false])('validate reports a misspelt override, hidden: %s', async (hidden) => {
  const file = serversFile([{ name: 'files', server: 'echo', fields: { tools: { ehco: { hidden } } } }]);
  await using here = await project({ 'mcp_servers.yaml': file });
  const env = { PATH: process.env.PATH, MCPX_TRUST: '1' };
  const options = { cwd: here.folder, env, stateDirectory: join(here.folder, 'state') };
  expect((await runMcpx(['validate'], options)).stderr).toBe('');
  await runMcpx(['discover', 'files'], options);
  const warned = await runMcpx(['validate'], options);
  expect(warned).toMatchObject({ exitCode: exitCodes.ok });
  expect(warned.stderr).toMatch(/mcp_servers\.yaml:\d+:\d+ warning override-matches-nothing .*"ehco"/);
  expect(warned.stderr).toContain('hint: did you mean echo?');
  const strict = await runMcpx(['validate', '--strict', '--json'], options);
  expect(strict.exitCode).toBe(hidden ? exitCodes.config : exitCodes.ok);
  const path = ['mcp_servers', 'files', 'tools', 'ehco'];
  expect(JSON.parse(strict.stdout).issues).toMatchObject([{ severity: hidden ? 'error' : 'warning', path }]);
});
