import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage } from '../helpers/stage-commands.js';

const join = ['fleet', 'join', 'nats://127.0.0.1:4222'];

test.each([
  [
    ['--node', 'build 1'],
    '--node "build 1" must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -.\nFor example: --node build-1',
  ],
  [['--fleet', 'a.b'], '--fleet "a.b" must be 1 to 64 of the characters'],
  [['--domain', 'a.b'], '--domain "a.b" must be 1 to 64 of the characters'],
  [['--replicas', '6'], '--replicas must be a whole number from 1 to 5.'],
  [['--replicas', 'many'], '--replicas must be a whole number from 1 to 5.'],
  [['--user', 'a'], 'A login with a password needs --user and --password-file, and --password-file is missing.'],
  [['--token-file', 't', '--creds', 'c'], '--creds and --token-file are different ways to log in.'],
  [['--tls-cert', 'c'], 'A certificate of this node needs its key, and --tls-key is missing.'],
])('mcpx fleet join with %j is refused before a daemon is started', async (options, message) => {
  const { exitCode, stderr } = await runMcpx([...join, '--node', 'a', ...options]);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain(message);
});

test('mcpx fleet permissions prints permissions per node, with a new password for each', async () => {
  const argv = ['fleet', 'permissions', '--node', 'a', '--node', 'b', '--fleet', 'team'];
  const { exitCode, stdout } = await runMcpx(argv);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('#   mcpx fleet join <nats-url> --fleet team --node a --user a --password-file <file>\n');
  expect(stdout).toContain('"mcp-fleet_team": {');
  const passwords = [...stdout.matchAll(/password: "(.{32})"/g)].map(([, password]) => password);
  expect(new Set(passwords).size).toBe(2);
  expect((await runMcpx(argv)).stdout).not.toContain(passwords[0]);
});

test('mcpx fleet permissions needs at least one node, each once', async () => {
  expect((await runMcpx(['fleet', 'permissions'])).exitCode).toBe(exitCodes.usage);
  expect((await runMcpx(['fleet', 'permissions', '--node', 'a', '--node', 'a'])).stderr).toContain(
    '--node a is given twice.',
  );
});

test('mcpx fleet permissions --administrator adds an administrator’s login', async () => {
  const argv = ['fleet', 'permissions', '--node', 'a', '--fleet', 'team', '--administrator'];
  const { stdout } = await runMcpx(argv);
  expect(stdout).toContain(
    '#   mcpx fleet forget <node> <nats-url> --fleet team --user administrator --password-file <file>\n',
  );
  expect(stdout).toMatch(/\{ user: "administrator", password: ".{32}" \}\n/);
  const taken = await runMcpx(['fleet', 'permissions', '--node', 'administrator', '--administrator']);
  expect(taken.exitCode).toBe(exitCodes.usage);
});

test('mcpx fleet status --watch fails without a daemon', async () => {
  await using stage = await daemonStage([]);
  const { exitCode, stderr } = await onStage(stage, ['fleet', 'status', '--watch']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stderr).toContain('Run "mcpx up" to start it.');
});

const forget = ['fleet', 'forget', 'build-9'];

test.each([
  [
    [...forget],
    'Nothing was removed, because there is no terminal to prompt on.\nAdd --yes to remove the node without a prompt.',
  ],
  [[...forget, '--json'], 'Nothing was removed, because there is no terminal to prompt on.'],
  [['fleet', 'forget', 'build 9', '--yes'], 'node "build 9" must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -.'],
  [[...forget, 'nats://10.0.0.5', '--fleet', 'a.b', '--yes'], '--fleet "a.b" must be 1 to 64 of the characters'],
  [[...forget, 'http://10.0.0.5', '--yes'], 'servers must be like nats://host:4222'],
  [[...forget, 'nats://10.0.0.5', '--user', 'a', '--yes'], '--password-file is missing'],
])('mcpx %j is refused before any prompt', async (argv, message) => {
  const { exitCode, stderr } = await runMcpx(argv);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(exitCodes.usage);
});

test('mcpx fleet forget requires a NATS URL when the daemon belongs to no fleet', async () => {
  await using stage = await daemonStage([]);
  const { exitCode, stderr } = await onStage(stage, [...forget, '--yes']);
  expect(stderr).toContain('The daemon of this config belongs to no fleet, so the NATS server is unknown.');
  expect(stderr).toContain('Name its NATS server: mcpx fleet forget build-9 nats://');
  expect(exitCode).toBe(exitCodes.usage);
});
