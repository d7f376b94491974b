import { expect, test } from 'vitest';
import { exitCodes } from '../../src/exit-codes.js';
import { runMcpx } from '../helpers/run-mcpx.js';

const join = ['fleet', 'join', 'nats://127.0.0.1:4222'];

test.each([
  [['--host', 'build 1'], '--host "build 1" is no name: 1 to 64 of A-Z, a-z, 0-9, _ and -.\nSuch as: --host build-1'],
  [['--fleet', 'a.b'], '--fleet "a.b" is no name'],
  [['--user', 'a'], '--user and --password-file go together, and one of them is missing.'],
  [['--token-file', 't', '--creds', 'c'], '--creds and --token-file are different ways to log in.'],
  [['--tls-cert', 'c'], 'A certificate of this host needs its key, and --tls-key is missing.'],
])('mcpx fleet join with %j is refused before a daemon is started', async (options, message) => {
  const { exitCode, stderr } = await runMcpx([...join, '--host', 'a', ...options]);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain(message);
});

test('mcpx fleet permissions prints what keeps hosts apart, with a new password for each', async () => {
  const argv = ['fleet', 'permissions', '--host', 'a', '--host', 'b', '--fleet', 'team'];
  const { exitCode, stdout } = await runMcpx(argv);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('#   mcpx fleet join <nats-url> --fleet team --host a --user a --password-file <file>\n');
  expect(stdout).toContain('"mcp-fleet_team": {');
  const passwords = [...stdout.matchAll(/password: "(.{32})"/g)].map(([, password]) => password);
  expect(new Set(passwords).size).toBe(2);
  expect((await runMcpx(argv)).stdout).not.toContain(passwords[0]);
});

test('mcpx fleet permissions needs a host, and each once', async () => {
  expect((await runMcpx(['fleet', 'permissions'])).exitCode).toBe(exitCodes.usage);
  expect((await runMcpx(['fleet', 'permissions', '--host', 'a', '--host', 'a'])).stderr).toContain('named twice');
});
