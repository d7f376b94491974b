import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expectNoLeaks, startOAuthServer, startProtectedEcho } from '@x/test-servers';
import type { Command } from 'commander';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes, type Io } from '../src/command.js';
import { commandLine } from '../src/command-line/program.js';
import { daemonStage } from './helpers/daemon-stage.js';
import { documented, faultsOf } from './helpers/output-schema.js';
import type { Outcome } from './helpers/run-mcpx.js';
import { startMcpx } from './helpers/serving.js';
import { onStage, typedTools } from './helpers/stage-commands.js';
import { userWorld } from './helpers/user-world.js';

afterEach(expectNoLeaks);

/** The command as its schema is called, and the words that run it. Each is run with and without a daemon. */
const onServers: readonly (readonly [schema: string, ...argv: string[]])[] = [
  ['validate', 'validate'],
  ['discover', 'discover', 'files'],
  ['discover', 'discover', 'docs', '--refresh'],
  ['discover', 'tools'],
  ['list', 'list'],
  ['status', 'status'],
  ['health', 'health', 'files', 'dead'],
  ['capabilities', 'capabilities', 'docs'],
  ['inspect', 'inspect', [typedTools.command, ...typedTools.args].join(' ')],
  ['requirements', 'requirements'],
  ['search', 'search', 'echo text'],
  ['search', 'search', 'e.ho', '--regex', '--limit', '1'],
  ['search', 'search', 'mcp__files__ech'],
  ['describe', 'describe', 'files.echo'],
  ['types', 'types', '--role', 'review'],
  ['context', 'context'],
  ['context', 'context', '--role', 'review', '--turns', '3'],
  ['call', 'call', 'files.echo', 'text=hello'],
  ['resources', 'resources'],
  ['resources', 'resources', 'docs', '--refresh'],
  ['resources read', 'resources', 'read', 'test://a', '--server', 'docs'],
  ['prompts', 'prompts', 'docs'],
  ['prompts get', 'prompts', 'get', 'docs', 'greet', 'who=world'],
  ['roles', 'roles'],
  ['roles explain', 'roles', 'explain', 'review', 'files.echo'],
  ['roles explain', 'roles', 'explain', 'review', 'files.pid'],
  ['roles explain', 'roles', 'explain', 'review', 'files.nothing'],
  ['pins', 'pins'],
  ['pins mode', 'pins', 'mode', 'approve', 'files'],
  ['pins diff', 'pins', 'diff', 'files.echo'],
  ['pins approve', 'pins', 'approve', 'files.echo'],
  ['pins', 'pins', 'files'],
  ['pins revoke', 'pins', 'revoke', 'files.echo'],
  ['pins revoke', 'pins', 'revoke', '--server', 'files'],
  ['pins mode', 'pins', 'mode', 'all', 'files'],
  ['trust add', 'trust', '--yes'],
  ['trust', 'trust', 'list'],
  ['trust remove', 'trust', 'remove'],
  ['trust add', 'trust', '--yes'],
  ['doctor', 'doctor'],
  ['daemon status', 'daemon', 'status'],
  ['daemon install', 'daemon', 'install'],
  ['fleet status', 'fleet', 'status'],
  ['fleet leave', 'fleet', 'leave'],
  ['fleet permissions', 'fleet', 'permissions', '--node', 'build-1'],
  ['fleet permissions', 'fleet', 'permissions', '--node', 'build-1', '--administrator'],
  ['stop', 'stop', 'files'],
  ['error', 'call', 'files.nothing'],
];

/** What only a daemon does. */
const onDaemon: typeof onServers = [
  ['up', 'up'],
  ['start', 'start', 'docs'],
  ['start', 'start', 'dead'],
  ['restart', 'restart', 'files'],
  ['logs', 'logs', 'dead'],
  ['logs --events', 'logs', '--events', 'dead'],
  ['daemon logs', 'daemon', 'logs'],
  ['daemon reload', 'daemon', 'reload'],
  ['approvals', 'approvals'],
  ...onServers,
  ['calls', 'calls'],
  ['down', 'down'],
  ['down', 'down'],
];

/** Files of host apps. */
const onHosts: typeof onServers = [
  ['import', 'import'],
  ['init', 'init', '--from', 'all'],
  ['sync', 'sync', '--dry-run'],
  ['sync', 'sync', '--yes'],
  ['sync', 'sync', '--remove', '--yes'],
  ['sync --list', 'sync', '--list'],
  ['add', 'add', 'time', '--env', 'API_TOKEN=SENTINEL-5f1c9a7e2b', '--', 'uvx', 'mcp-server-time'],
  ['disable', 'disable', 'time'],
  ['enable', 'enable', 'time', '--dry-run'],
  ['edit', 'edit'],
  ['remove', 'remove', 'time'],
  ['config undo', 'config', 'undo'],
  ['config undo --list', 'config', 'undo', '--list'],
];

/** Those with a test of their own below, or where there is a nats-server. */
const alone = [
  'approvals approve',
  'approvals deny',
  'fleet join',
  'fleet forget',
  'login',
  'logout',
  'serve',
  'status --watch',
  'dashboard',
];

const servers = [
  { name: 'files', server: 'echo' },
  { name: 'docs', server: 'resources-and-prompts', fields: { auto_start: false } },
  { name: 'dead', server: 'exits-at-once', fields: { auto_start: false }, args: ['--stderr', 'last words'] },
] as const;

const tools = `tools:
  app:
    mcp_tools: { required: [files], recommended: [web], optional: [dead] }
    role_restrictions: { review: { allowed_tools: [files.echo] } }
`;

test('every command that prints JSON has a schema, and its output is held against it here', () => {
  const names = commandNames(commandLine({ stdout: {}, stderr: {} } as unknown as Io, () => undefined));
  expect(documented).toEqual(expect.arrayContaining([...names]));
  expect([...new Set([...onDaemon, ...onHosts].map(([schema]) => schema)), ...alone]).toEqual(
    expect.arrayContaining([...names]),
  );
});

/** By the words that run them; the one that a group means by itself is called like the group. */
function commandNames(command: Command, before: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((each) => {
    const words = each.name() === 'list' && before.length > 0 ? before : [...before, each.name()];
    const own = each.options.some(({ long }) => long === '--json') ? [words.join(' ')] : [];
    return [...own, ...commandNames(each, words)];
  });
}

/** Words behind `--` are those of a server. */
function withJson(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? [...argv, '--json'] : argv.toSpliced(end, 0, '--json');
}

const lineEach = new Set(['logs', 'logs --events', 'daemon logs', 'status --watch', 'error']);

function expectDocumented(schema: string, { stdout, stderr }: Outcome): void {
  const texts = lineEach.has(schema) ? stdout.trimEnd().split('\n') : [stdout];
  for (const text of texts) expect(faultsOf(schema, JSON.parse(text)), `${schema}: ${text}\n${stderr}`).toEqual([]);
}

describe('what is printed is what the schema says', () => {
  test('by commands with their own servers', async () => {
    await using stage = await daemonStage(servers);
    await writeFile(join(stage.folder, 'tools.yaml'), tools);
    for (const [schema, ...argv] of onServers) expectDocumented(schema, await onStage(stage, [...argv, '--json']));
  }, 60_000);

  test('by commands on the servers of a daemon', async () => {
    await using stage = await daemonStage(servers);
    await writeFile(join(stage.folder, 'tools.yaml'), tools);
    for (const [schema, ...argv] of onDaemon) expectDocumented(schema, await onStage(stage, [...argv, '--json']));
  }, 60_000);

  test('by a watch', async () => {
    await using stage = await daemonStage(servers);
    await onStage(stage, ['up']);
    const over = new AbortController();
    const onStdout = (text: string): void => {
      if (text.split('\n').length > servers.length) over.abort();
    };
    const watched = await onStage(stage, ['status', '--watch', '--json'], { signal: over.signal, onStdout });
    expectDocumented('status --watch', watched);
  });

  test('by commands on the files of host apps', async () => {
    const mcpServers = {
      db: { command: 'uvx', env: { DB_PASSWORD: 'SENTINEL-5f1c9a7e2b' } },
      off: { command: 'uvx', disabled: true },
      web: { url: 'https://example.com/mcp' },
    };
    await using user = await userWorld({ 'home/.cursor/mcp.json': JSON.stringify({ mcpServers }) });
    const env = { DB_PASSWORD: 'SENTINEL-5f1c9a7e2b', EDITOR: 'true' };
    for (const [schema, ...argv] of onHosts) expectDocumented(schema, await user.run(withJson(argv), { env }));
  });

  test('by a sign-in', async () => {
    const authorization = await startOAuthServer();
    const echo = await startProtectedEcho(authorization);
    await using user = await userWorld({
      'project/mcp_servers.yaml': `mcp_servers: { web: { url: "${echo.url}" } }\n`,
    });
    const openPage = async (url: URL): Promise<boolean> => (await fetch(url)).ok;
    expectDocumented('login', await user.run(['login', 'web', '--json'], { openPage }));
    expectDocumented('logout', await user.run(['logout', 'web', '--json']));
    await echo.close();
    await authorization.close();
  });
});

describe('a failure is one line of JSON in place of the document', () => {
  test.each([
    [['status', '--json'], 'config-not-found', exitCodes.config],
    [['search', '--json'], 'usage', exitCodes.usage],
    [['serch', '--json'], 'usage', exitCodes.usage],
    [['call', 'a.b', '{', '--json'], 'usage', exitCodes.usage],
    [['daemon', 'reload', '--json'], 'daemon-not-running', exitCodes.failed],
    [['import', '--json'], 'failed', exitCodes.failed],
  ])('%j', async (argv, code, exitCode) => {
    await using user = await userWorld();
    const outcome = await user.run(argv);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout).toMatch(/^[^\n]+\n$/);
    expectDocumented('error', outcome);
    expect(JSON.parse(outcome.stdout).error).toMatchObject({ code, exitCode });
    expect(outcome.stderr).toContain(JSON.parse(outcome.stdout).error.message.split('\n')[0]);
  });

  test('for an interruption, too', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: { a: { command: a } }' });
    const outcome = await user.run(['health', '--json'], { signal: AbortSignal.abort() });
    expect(outcome.exitCode).toBe(exitCodes.interrupted);
    expect(JSON.parse(outcome.stdout).error).toMatchObject({ code: 'interrupted', exitCode: 130 });
  });

  test('but none without --json', async () => {
    await using user = await userWorld();
    expect(await user.run(['status'])).toMatchObject({ stdout: '' });
    expect(await user.run(['call', 'a.b', '--', '--json'])).toMatchObject({ stdout: '' });
  });

  test('and none after a document', async () => {
    await using user = await userWorld({
      'project/mcp_servers.yaml': 'mcp_servers: { a: { command: a } }',
      'home/.cursor/mcp.json': '{}',
    });
    const { exitCode, stdout } = await user.run(['sync', '--json'], { stdin: Readable.from([]) });
    expect(exitCode).toBe(exitCodes.usage);
    expect(JSON.parse(stdout)).toMatchObject({ changes: true, written: [] });
  });
});

test('the address of a gateway is printed as its schema says', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}' });
  await using serving = startMcpx(user.project, ['serve', '--own-servers', '--http', '--port', '0', '--json']);
  const [line] = await serving.seen(/^\{.*\}$/m, 'stdout');
  expect(faultsOf('serve', JSON.parse(line))).toEqual([]);
});
