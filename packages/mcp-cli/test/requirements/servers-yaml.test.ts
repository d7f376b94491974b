import { createClientManager } from '@x/mcp-client-manager';
import { checkConfig, type ServerConfig } from '@x/mcp-config-schema';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, expect } from 'vitest';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { row, sample } from './row.js';

afterAll(expectNoLeaks);

const text = sample('server-integration/mcp_servers.yaml');
const fields = sample('server-integration/server-fields.py');
const sampled = checkConfig({ file: 'config/mcp_servers.yaml', text });

const checkFile = (file: object) => checkConfig({ file: 'mcp_servers.yaml', text: JSON.stringify(file) });
const checkServer = (server: object) => checkFile({ mcp_servers: { s: { command: 'x', ...server } } });
const checkSettings = (settings: object) => checkFile({ mcp_servers: { s: { command: 'x' } }, mcp_settings: settings });
const serverOf = ({ config }: { readonly config?: { readonly servers: readonly ServerConfig[] } | undefined }) =>
  config?.servers[0];

/** Compares the default and both bounds of a number in the sample with ours. */
function expectNumber(
  field: string,
  check: (value?: number) => ReturnType<typeof checkFile>,
  read: (checked: ReturnType<typeof checkFile>) => number | undefined,
): void {
  const written = new RegExp(`${field}: int = Field\\(default=(\\d+), ge=(\\d+), le=(\\d+)\\)`).exec(fields);
  const [initial = Number.NaN, least = Number.NaN, most = Number.NaN] = (written ?? []).slice(1).map(Number);
  expect(read(check())).toBe(initial);
  for (const value of [least, most]) {
    expect(check(value).issues).toEqual([]);
    expect(read(check(value))).toBe(value);
  }
  for (const value of [least - 1, most + 1]) expect(check(value).issues).toMatchObject([{ code: 'invalid-value' }]);
}

const setting = (field: string) => (value?: number) => checkSettings(value === undefined ? {} : { [field]: value });
const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000);

row(83, () => {
  expect(sampled.issues).toEqual([]);
  expect(sampled.config?.servers.map(({ name }) => name)).toEqual(['filesystem', 'git', 'code-search']);
});

row(84, () => {
  expect(sampled.config?.servers.map((server) => server.package)).toEqual([
    '@modelcontextprotocol/server-filesystem',
    '@modelcontextprotocol/server-git',
    '@modelcontextprotocol/server-code-search',
  ]);
});

row(85, () => {
  expect(fields).toContain('package: str = Field(description="NPM package name")');
  expect(checkServer({}).issues).toEqual([]);
});

row(86, () => {
  expect(serverOf(sampled)).toMatchObject({
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-filesystem', '/allowed/path'],
  });
  const command = `node "my server.js" --name 'a "b"' c\\ d`;
  expect(serverOf(checkServer({ command }))).toMatchObject({
    command: 'node',
    args: ['my server.js', '--name', 'a "b"', 'c d'],
  });
});

const manual = { ...testServer('echo'), autoStart: false };
const automatic = { ...testServer('echo'), autoStart: true };

row(87, async () => {
  expect(sampled.config?.servers.map(({ autoStart }) => autoStart)).toEqual([true, true, false]);
  await using manager = createClientManager({ servers: { automatic } });
  await manager.callTool('automatic', 'echo', { text: 'hi' });
  expect(manager.server('automatic').state).toBe('running');
});

row(88, () => {
  expect(fields).toContain('auto_start: bool = Field(default=False');
  expect(serverOf(checkServer({}))?.autoStart).toBe(false);
});

row(89, async () => {
  await using manager = createClientManager({ servers: { manual } });
  await expect(manager.callTool('manual', 'echo')).rejects.toMatchObject({ code: 'not-started' });
  await using here = await project({
    'mcp_servers.yaml': serversFile([{ name: 'manual', server: 'echo', fields: { auto_start: false } }]),
  });
  const { stdout } = await runMcpx(['call', 'manual.echo', 'text=hi'], { cwd: here.folder });
  expect(stdout).toBe('hi\n');
});

row(90, () => {
  expect(fields).toContain('health_check: MCPHealthCheck\n');
  expect(serverOf(checkServer({}))?.health.method).toBe('ping');
});

row(91, () => {
  expect(fields).toContain('method: Literal["ping", "tool_call"] = "ping"');
  expect(serverOf(checkServer({ health_check: {} }))?.health.method).toBe('ping');
  expect(checkServer({ health_check: { method: 'tool_call', tool: 'status' } }).issues).toEqual([]);
  expect(checkServer({ health_check: { method: 'http' } }).issues).toMatchObject([{ code: 'invalid-value' }]);
});

row(92, () => {
  expect(checkServer({ health_check: { method: 'tool_call' } }).issues).toMatchObject([
    { code: 'health-check-without-tool' },
  ]);
});

row(93, () => {
  expect(serverOf(sampled)?.health).toMatchObject({ tool: 'list_directory', args: { path: '/tmp' } });
});

row(94, () => {
  expectNumber(
    'timeout_seconds',
    (value) => checkServer({ health_check: value === undefined ? {} : { timeout_seconds: value } }),
    (checked) => seconds(serverOf(checked)?.health.timeoutMs),
  );
});

/** A check that calls a tool, of a server that has just been started for it. */
async function isHealthy(tool: string): Promise<boolean> {
  const health = { method: 'tool_call', tool } as const;
  await using manager = createClientManager({ servers: { echo: { ...automatic, health } } });
  const server = manager.server('echo');
  await server.start().catch(() => undefined); // a failed check is a failed start
  return await server.checkHealth();
}

row(95, async () => {
  // A process that is alive and does not answer.
  await using manager = createClientManager({
    servers: { silent: { ...testServer('stops-reading'), health: { method: 'ping', timeoutMs: 1_000 } } },
  });
  const server = manager.server('silent');
  await server.callTool('stop');
  expect(await server.checkHealth()).toBe(false);
  await server.stop({ force: true });
});

row(96, async () => {
  expect(await isHealthy('pid')).toBe(true);
  expect(await isHealthy('fail')).toBe(false);
});

row(97, async () => {
  const health = { health_check: { method: 'tool_call', tool: 'git.status' } };
  const git = { name: 'git', server: 'named-tools', args: ['log'], fields: health } as const;
  await using here = await project({ 'mcp_servers.yaml': serversFile([git]) });
  const { exitCode, stdout, stderr } = await runMcpx(['health', 'git'], { cwd: here.folder });
  expect(exitCode).not.toBe(0);
  expect(stdout + stderr).toMatch(/status/);
});

row(98, async () => {
  expect(fields).toContain('restart_on_failure: bool = Field(default=True)');
  expect(serverOf(checkServer({}))?.restart.onFailure).toBe(true);
  await using manager = createClientManager({ servers: { echo: { ...automatic, restart: { onFailure: false } } } });
  const failed = new Promise<void>((resolve) =>
    manager.events.on('server-state', ({ state }) => state.phase === 'failed' && resolve()),
  );
  await manager.callTool('echo', 'exit', { code: 3 }).catch(() => undefined);
  await failed;
  expect(manager.server('echo').status).toMatchObject({ state: 'failed', restarts: 0 });
});

row(99, () => {
  expectNumber(
    'max_restart_attempts',
    (value) => checkServer(value === undefined ? {} : { max_restart_attempts: value }),
    (checked) => serverOf(checked)?.restart.maxAttempts,
  );
});

row(101, () => {
  expect(fields).toContain('auto_start_default: bool = False');
  expect(checkSettings({}).config?.settings.autoStartDefault).toBe(false);
  expect(serverOf(checkSettings({ auto_start_default: true }))?.autoStart).toBe(true);
});

row(102, () => {
  const field = 'health_check_interval_seconds';
  expectNumber(field, setting(field), (checked) => seconds(serverOf(checked)?.health.intervalMs));
});

row(103, () => {
  const field = 'startup_timeout_seconds';
  expectNumber(field, setting(field), (checked) => seconds(serverOf(checked)?.limits.startupTimeoutMs));
});

row(104, () => {
  const field = 'shutdown_timeout_seconds';
  expectNumber(field, setting(field), (checked) => seconds(serverOf(checked)?.limits.shutdownTimeoutMs));
});

row(105, () => {
  expect(fields).toContain('default=Path("logs/mcp_servers")');
  expect(checkSettings({}).config?.settings.logDirectory).toBe('logs/mcp_servers');
  expect(serverOf(checkSettings({}))?.logDirectory).toBeUndefined();
  expect(serverOf(sampled)?.logDirectory).toBe('logs/mcp_servers');
});

row(106, () => {
  expect(checkFile({ mcp_servers: {} }).config?.settings).toEqual(checkSettings({}).config?.settings);
});
