import { expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { runMcpx } from './helpers/run-mcpx.js';

const groups = ['resources', 'prompts', 'roles', 'pins'];
const commands = [
  ...['validate', 'status', 'up', 'down', 'start', 'stop', 'restart', 'health', 'capabilities', 'logs', 'requirements'],
  ...['discover', 'search', 'describe', 'types', 'call', 'context', 'serve'],
  ...groups,
];
const subcommands = [
  ...['resources list', 'resources read', 'prompts list', 'prompts get', 'roles list', 'roles explain'],
  ...['pins list', 'pins diff', 'pins approve', 'pins revoke', 'pins mode'],
];

test('the exit codes equal those in the documentation', () => {
  expect(exitCodes).toEqual({
    ok: 0,
    failed: 1,
    usage: 2,
    config: 3,
    startFailed: 4,
    notFound: 5,
    timedOut: 6,
    interrupted: 130,
  });
});

test('prints the help without a command', async () => {
  const { exitCode, stdout, stderr } = await runMcpx([]);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('Usage: mcpx');
  expect(stderr).toBe('');
});

test('the help names every command and the exit codes', async () => {
  const { exitCode, stdout } = await runMcpx(['--help']);
  expect(exitCode).toBe(exitCodes.ok);
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command}[ |]`, 'm'));
  expect(stdout).toContain('Exit codes: 0 ok');
});

test.each([...commands, ...subcommands])('%s has its own help', async (command) => {
  const { exitCode, stdout } = await runMcpx([...command.split(' '), '--help']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain(`Usage: mcpx ${command}`);
  if (groups.includes(command)) return;
  expect(stdout).toContain('--config');
  expect(stdout).toContain('--json');
});

test('suggests the nearest command for a misspelt one', async () => {
  const { exitCode, stdout, stderr } = await runMcpx(['serch', 'files']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stdout).toBe('');
  expect(stderr).toContain("unknown command 'serch'");
  expect(stderr).toContain('Did you mean search?');
});

test('suggests the nearest option for a misspelt one', async () => {
  const { exitCode, stderr } = await runMcpx(['search', 'files', '--rol', 'review']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('--role');
});

test.each([
  [['search'], "missing required argument 'query'"],
  [['search', 'x', '--limit', '0'], 'Give a whole number from 1 to 100.'],
  [['call', 'x', '{}', '--timeout', 'soon'], 'Give a number of seconds'],
  [['down', 'everything'], 'too many arguments'],
  [['up', '--idle-exit', '0'], 'Give a number of minutes'],
  [['logs', 'x', '--lines', 'all'], 'Give a whole number'],
])('%j is wrong usage', async (argv, reason) => {
  const { exitCode, stderr } = await runMcpx(argv);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain(reason);
});

test('a usage error names the help of the command', async () => {
  expect((await runMcpx(['pins', 'diff'])).stderr).toContain(
    'Run "mcpx pins diff --help" for its arguments and options.',
  );
  expect((await runMcpx(['search', 'x', '--limit', '0'])).stderr).toContain('Run "mcpx search --help"');
  expect((await runMcpx(['call', 'files.echo', 'stray'])).stderr).toContain('"stray"');
});

test.each([
  ['--config', 'nowhere.yaml', 'status'],
  ['-c', 'nowhere.yaml', '--json', 'call', 'a.b', 'c=d', '--', 'e=f'],
  ['--config=nowhere.yaml', 'pins', 'diff', 'x'],
])('what every command takes may stand before it: %s %s %s %s', async (...argv) => {
  const { exitCode, stdout, stderr } = await runMcpx(argv);
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain('nowhere.yaml does not exist');
  expect(stdout !== '').toBe(argv.includes('--json'));
});

test('--version prints the version alone', async () => {
  const { exitCode, stdout } = await runMcpx(['--version']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
