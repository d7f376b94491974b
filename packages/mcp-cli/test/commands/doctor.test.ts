import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { doctor } from '../../src/commands/doctor.js';
import { up } from '../../src/commands/up.js';
import { checkPorts } from '../../src/doctor/check-daemon.js';
import type { Finding } from '../../src/doctor/finding.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

afterEach(expectNoLeaks);

const secret = 'SENTINEL-5f1c9a7e2b';

async function findings(user: UserWorld, env: Record<string, string> = {}): Promise<readonly Finding[]> {
  return JSON.parse((await user.run(['doctor', '--json'], { env, nodeVersion: '20.19.0' })).stdout).findings;
}

function bad(found: readonly Finding[], check: string): readonly Finding[] {
  return found.filter((finding) => finding.check === check && finding.status !== 'ok');
}

test('prints one line per check if all is well', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: { git: { command: node } }\n' });
  const { exitCode, stdout } = await user.run(['doctor'], { nodeVersion: '20.19.0' });
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toMatch(/^✓ runtime {5}Node 20\.19\.0\n✓ path/);
  expect(stdout).toMatch(/✓ command {5}git: \/\S+\/node\n/);
  expect(stdout).toContain('✓ daemon      no daemon is running for this config\n');
});

test('checks neither program nor secrets of a disabled server', async () => {
  const off = { command: '/no/such/program', env: { T: { secret_ref: 'env:NOT_SET' } } };
  const file = (disabled: boolean) => JSON.stringify({ mcp_servers: { off: { ...off, disabled } } });
  const asked = async (disabled: boolean) => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': file(disabled) });
    return (await findings(user)).filter(({ check }) => check === 'command' || check === 'secret');
  };
  expect(await asked(true)).toEqual([]);
  expect(await asked(false)).toMatchObject([
    { check: 'command', status: 'error' },
    { check: 'secret', status: 'error' },
  ]);
});

test('prints JSON of a stable shape with a fix for each fault', async () => {
  await using user = await userWorld();
  const { exitCode, stdout } = await user.run(['doctor', '--json'], { nodeVersion: '18.0.0', env: { PATH: '' } });
  expect(exitCode).toBe(exitCodes.failed);
  const report = JSON.parse(stdout);
  expect(Object.keys(report)).toEqual(['ok', 'errors', 'warnings', 'findings']);
  expect(report.ok).toBe(false);
  expect(report.errors).toBe(3);
  expect(bad(report.findings, 'runtime')).toHaveLength(1);
  expect(bad(report.findings, 'path')).toHaveLength(1);
  expect(bad(report.findings, 'config')).toMatchObject([{ fix: 'run "mcpx init" to write one' }]);
  for (const finding of report.findings) {
    expect(Object.keys(finding)).toEqual(['check', 'status', 'message', ...(finding.status === 'ok' ? [] : ['fix'])]);
  }
});

test('finds missing commands, unresolvable secrets and issues of the config at once', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': `mcp_servers:
  one: { command: no-such-program-anywhere }
  two: { command: node, env: { A: { secret_ref: "env:NOT_SET_ANYWHERE" }, B: { secret_ref: "env:SET" }, C: "\${SET}" } }
  three: { comand: node }
  four: { command: node, cwd: /no/such/directory }
`,
  });
  const found = await findings(user, { SET: secret });
  expect(bad(found, 'command')).toMatchObject([
    { message: expect.stringContaining('one: the command was not found: no-such-program-anywhere') },
    { message: 'four: its directory does not exist: node in /no/such/directory' },
  ]);
  expect(bad(found, 'secret')).toMatchObject([
    { status: 'error', message: expect.stringContaining('NOT_SET_ANYWHERE') },
  ]);
  expect(bad(found, 'config')[0]?.message).toMatch(/mcp_servers\.yaml:4:12 unknown-key /);
  expect(user.told()).not.toContain(secret);
});

test('reports for a server with a URL if its address accepts connections', async () => {
  let asked = 0;
  const server = createServer((socket) => {
    socket.once('data', () => {
      asked += 1;
    });
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await using user = await userWorld({
    'project/mcp_servers.yaml': `mcp_servers:
  there: { url: "http://127.0.0.1:${port}/mcp?key=${secret}" }
`,
  });
  const ofAddress = async (env: Record<string, string> = {}) =>
    (await findings(user, env)).filter(({ check }) => check === 'address');
  const there = `there: 127.0.0.1:${port}`;
  const asks = '"mcpx discover there --refresh" tests it';
  expect(await ofAddress()).toEqual([
    { check: 'address', status: 'ok', message: `${there} accepts connections; ${asks}` },
  ]);
  expect(await ofAddress({ NODE_USE_ENV_PROXY: '1' })).toMatchObject([
    { status: 'ok', message: expect.stringContaining('not checked, because requests go to a proxy') },
  ]);
  await new Promise((resolve) => server.close(resolve));
  expect(await ofAddress()).toMatchObject([
    { status: 'error', message: `${there} cannot be reached (ECONNREFUSED)`, fix: expect.stringContaining('"url"') },
  ]);
  expect(asked).toBe(0);
  expect(user.told()).not.toContain(secret);
});

test('finds files that others can read and stale locks, with the command that helps', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}\n' });
  const signIns = join(user.state, 'sign-ins.json');
  await writeFile(signIns, `{"x":"${secret}"}`);
  await chmod(signIns, 0o644);
  await writeFile(`${signIns}.lock`, '');
  await utimes(`${signIns}.lock`, 1, 1);
  await mkdir(join(user.state, 'gateway-tokens'));
  await writeFile(join(user.state, 'gateway-tokens', 'a.token'), secret, { mode: 0o600 });
  const daemon = join(user.state, '..', 'run', 'mcpx', '0123456789abcdef');
  await mkdir(daemon, { recursive: true, mode: 0o700 });
  await writeFile(join(daemon, 'lock.1'), JSON.stringify({ pid: 999_999, startTime: '1', table: 'another boot' }));
  const found = await findings(user);
  expect(bad(found, 'permissions')).toEqual([
    {
      check: 'permissions',
      status: 'error',
      message: `${signIns} can be read or changed by other users (mode 644)`,
      fix: `chmod 600 '${signIns}'`,
    },
  ]);
  expect(bad(found, 'lock')).toMatchObject([
    { status: 'warning', fix: `rm -r '${join(daemon, 'lock.1')}'` },
    { status: 'warning', fix: `rm -r '${signIns}.lock'` },
  ]);
  expect(user.told()).not.toContain(secret);
});

test('the directory of the daemon must not be writable by others', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}\n' });
  const directory = join(user.state, '..', 'run', 'mcpx');
  await mkdir(directory);
  await chmod(directory, 0o777);
  const found = await findings(user);
  expect(bad(found, 'permissions')).toMatchObject([{ message: expect.stringContaining('can be written to by other') }]);
  expect(bad(found, 'daemon')).toHaveLength(1);
});

test('distinguishes a running daemon from one that was killed', async () => {
  await using stage = await daemonStage();
  await stage.run((io) => up({ servers: [] }, io));
  const report = async (): Promise<readonly Finding[]> =>
    JSON.parse((await stage.run((io) => doctor({ json: true }, io))).stdout).findings;
  const { parent, phase } = await stage.state();
  expect(await report()).toContainEqual({
    check: 'daemon',
    status: 'ok',
    message: `the daemon responds as process ${parent.pid}`,
  });
  expect(phase.name).toBe('ready');
  expect(bad(await report(), 'lock')).toEqual([]);
});

test('reports a port that is in use', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await checkPorts(port)).toMatchObject([{ status: 'warning', message: `port ${port} of 127.0.0.1 is in use` }]);
  await new Promise((resolve) => server.close(resolve));
  expect(await checkPorts(port)).toMatchObject([{ status: 'ok' }]);
});
