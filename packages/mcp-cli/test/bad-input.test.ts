import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { project, serversFile } from './helpers/project.js';
import { runMcpx } from './helpers/run-mcpx.js';

afterEach(expectNoLeaks);

const commands = [
  ['validate'],
  ['status'],
  ['discover', 'files'],
  ['search', 'files'],
  ['call', 'echo'],
  ['serve', '--own-servers'],
];

test.each(commands)('%s without a config names the searched places and a remedy', async (...argv) => {
  await using empty = await project({});
  const { exitCode, stdout, stderr } = await runMcpx(argv, { cwd: empty.folder });
  expect(exitCode).toBe(exitCodes.config);
  expect(stdout).toBe('');
  expect(stderr).toContain('There is no MCP configuration');
  expect(stderr).toContain('config/mcp_servers.yaml');
  expect(stderr).toContain('command: npx -y @modelcontextprotocol/server-everything');
  expect(stderr).toContain('uses the servers of host apps such as Cursor or VS Code, but their files have none here');
  expect(stderr).toContain('Run "mcpx add <name> -- <command>" to write a config');
});

test('a directory without a config, named with --config, is no search and no host app', async () => {
  await using empty = await project({});
  const { exitCode, stderr } = await runMcpx(['status', '--config', '.'], { cwd: empty.folder });
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain(`There is no MCP configuration in ${empty.folder}.`);
  expect(stderr).toContain('name a host app in its place to use its servers: --from cursor');
});

test.each(commands)('%s with a YAML syntax error shows the place and the line', async (...argv) => {
  await using broken = await project({ 'mcp_servers.yaml': 'mcp_servers:\n  files:\n    command: "node server.js\n' });
  const { exitCode, stderr } = await runMcpx(argv, { cwd: broken.folder });
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toMatch(/mcp_servers\.yaml:\d+:\d+/);
  expect(stderr).toContain('syntax');
});

test('validate shows the lines around an issue with a caret', async () => {
  await using broken = await project({ 'mcp_servers.yaml': 'mcp_servers:\n  files:\n    command: "node server.js\n' });
  const { stderr } = await runMcpx(['validate'], { cwd: broken.folder });
  expect(stderr).toContain('3 |     command: "node server.js');
  expect(stderr).toMatch(/^\s*\|?\s*\^/m);
});

test('suggests the nearest key for an unknown one', async () => {
  await using wrong = await project({ 'mcp_servers.yaml': 'mcp_servers:\n  files:\n    comand: node server.js\n' });
  const { exitCode, stderr } = await runMcpx(['validate'], { cwd: wrong.folder });
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain('mcp_servers.yaml:3:5');
  expect(stderr).toContain('comand');
  expect(stderr).toContain('command');
});

test('validate --json prints every issue as data and nothing else', async () => {
  await using wrong = await project({ 'mcp_servers.yaml': 'mcp_servers:\n  files:\n    comand: node server.js\n' });
  const { exitCode, stdout, stderr } = await runMcpx(['validate', '--json'], { cwd: wrong.folder });
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as { ok: boolean; issues: { code: string; line: number }[] };
  expect(report.ok).toBe(false);
  expect(report.issues).toContainEqual(expect.objectContaining({ code: 'unknown-key', line: 3, column: 5 }));
});

test('reports a server command that does not exist', async () => {
  await using wrong = await project({
    'mcp_servers.yaml': 'mcp_servers: { files: { command: no-such-program-anywhere } }',
  });
  const { exitCode, stdout, stderr } = await runMcpx(['discover', 'files'], { cwd: wrong.folder });
  expect(exitCode).toBe(exitCodes.startFailed);
  expect(stdout).toBe('');
  expect(stderr).toContain('the command "no-such-program-anywhere" was not found');
  expect(stderr).toContain('Run "mcpx doctor"');
});

test('a server that never responds fails at the startup timeout', async () => {
  const servers = serversFile([{ name: 'silent', server: 'never-initializes' }], { startup_timeout_seconds: 1 });
  await using silent = await project({ 'mcp_servers.yaml': servers });
  const { exitCode, stderr } = await runMcpx(['discover', 'silent'], { cwd: silent.folder });
  expect(exitCode).toBe(exitCodes.startFailed);
  expect(stderr).toContain('did not finish its handshake within 1000 ms');
  expect(stderr).toContain('raise startup_timeout_seconds if it is only slow');
});

test('a server that exits at once is reported with what it wrote to stderr', async () => {
  const servers = serversFile([{ name: 'broken', server: 'exits-at-once', args: ['--stderr', 'API key is missing'] }]);
  await using broken = await project({ 'mcp_servers.yaml': servers });
  const { exitCode, stderr } = await runMcpx(['discover', 'broken'], { cwd: broken.folder });
  expect(exitCode).toBe(exitCodes.startFailed);
  expect(stderr).toContain('  broken | API key is missing\n');
  expect(stderr).toContain('Run "mcpx discover broken --refresh --verbose" to see all of its output.');
});

test('a server that lacks a variable is reported with where variables are declared', async () => {
  const args = ['--stderr', 'Error: WEATHER_API_KEY is not set'];
  const servers = serversFile([{ name: 'weather', server: 'exits-at-once', args }]);
  await using broken = await project({ 'mcp_servers.yaml': servers });
  const { stderr } = await runMcpx(['discover', 'weather'], { cwd: broken.folder });
  expect(stderr).toMatch(/write WEATHER_API_KEY: \$\{WEATHER_API_KEY\} under "env" of weather in the config/);
});

test('does not mistake an error code for a variable', async () => {
  const args = ['--stderr', 'Error [ERR_MODULE_NOT_FOUND]: a required package is missing'];
  const servers = serversFile([{ name: 'broken', server: 'exits-at-once', args }]);
  await using broken = await project({ 'mcp_servers.yaml': servers });
  const { stderr } = await runMcpx(['discover', 'broken'], { cwd: broken.folder });
  expect(stderr).not.toContain('under "env"');
});

test('an unreachable URL is reported with a hint about the URL', async () => {
  const servers = 'mcp_servers: { web: { url: "http://127.0.0.1:1/mcp" } }';
  await using wrong = await project({ 'mcp_servers.yaml': servers });
  const { exitCode, stderr } = await runMcpx(['discover', 'web'], { cwd: wrong.folder });
  expect(exitCode).toBe(exitCodes.startFailed);
  expect(stderr).toContain('Check the whole "url" of web in the config');
  expect(stderr).not.toContain('mcpx doctor');
});

test('an unknown server is reported with the configured ones', async () => {
  await using good = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const { exitCode, stderr } = await runMcpx(['discover', 'fils'], { cwd: good.folder });
  expect(exitCode).toBe(exitCodes.notFound);
  expect(stderr).toContain('No server is named "fils"');
  expect(stderr).toContain('"files"');
});

test('an unknown role is a usage error', async () => {
  await using good = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const { exitCode, stderr } = await runMcpx(['search', 'echo', '--role', 'review'], { cwd: good.folder });
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('No role is named "review"');
});

test('search terms need no quotes', async () => {
  await using good = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const { exitCode, stdout } = await runMcpx(['search', 'echo', 'a', 'text', '--refresh', '--limit', '1'], {
    cwd: good.folder,
  });
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('mcp__files__echo');
});
