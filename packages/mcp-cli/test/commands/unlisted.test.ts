// biome-ignore-all lint/suspicious/noTemplateCurlyInString: servers are described with variables
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expectNoLeaks, startHttpEcho, startOAuthServer, startProtectedEcho, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { faultsOf } from '../helpers/output-schema.js';
import { startMcpx } from '../helpers/serving.js';
import { hostileServer, obeyed, typedTools } from '../helpers/stage-commands.js';
import { userWorld } from '../helpers/user-world.js';

afterEach(expectNoLeaks);

/** Without MCPX_TRUST, and without a config. */
const world = () => userWorld();
const untrusting = { env: { MCPX_TRUST: '' } };

const everything = lineOf({
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))],
});
const typed = lineOf(typedTools);
const echo = lineOf(testServer('echo'));

function lineOf({ command, args = [] }: { readonly command: string; readonly args?: readonly string[] }): string {
  return [command, ...args].map((word) => `'${word}'`).join(' ');
}

describe('a call to a server that is in no config', () => {
  test('starts its command without a prompt and stores nothing', async () => {
    await using user = await world();
    const before = await readdir(user.state);
    for (const words of [['get-sum', 'a=2', 'b:3'], ['get-sum(a: 2, b: 3)'], ['get-sum', '--a', '2', '--b', '3']]) {
      const { exitCode, stdout } = await user.run(['call', everything, ...words], untrusting);
      expect({ exitCode, stdout }).toEqual({ exitCode: exitCodes.ok, stdout: 'The sum of 2 and 3 is 5.\n' });
    }
    expect(await readdir(user.state)).toEqual(before);
  });

  test('uses no daemon and no config', async () => {
    await using user = await world();
    await user.write('project/mcp_servers.yaml', 'mcp_servers: { broken');
    expect((await user.run(['call', echo, 'echo', 'text=x'], untrusting)).stdout).toBe('x\n');
  });

  test('takes a near name, and suggests one for a tool that is not read-only', async () => {
    await using user = await world();
    const near = await user.run(['call', typed, 'findWord', 'path=x'], untrusting);
    expect(near.stdout).toBe('find_word {"path":"x"}\n');
    const other = await user.run(['call', typed, 'remove-word', 'path=x'], untrusting);
    expect(other.exitCode).toBe(exitCodes.notFound);
    expect(other.stderr).toContain('Did you mean "mcp__typed-tools__remove_word"?');
  });

  test('runs in the current directory with variables of --env', async () => {
    await using user = await world();
    const env = { ...untrusting.env, TOKEN: 'SENTINEL-5f1c9a7e2b' };
    const run = (...words: string[]) => user.run(['call', echo, ...words], { env });
    expect((await run('directory')).stdout).toBe(`${user.project}\n`);
    const variables = async (...words: string[]) => JSON.parse((await run('environment', ...words)).stdout);
    expect(await variables()).not.toHaveProperty('TOKEN');
    expect(await variables('--env', 'TOKEN', '--env', 'MODE=${TOKEN}!')).toMatchObject({
      TOKEN: env.TOKEN,
      MODE: `${env.TOKEN}!`,
    });
  });

  test('reaches a URL with headers, and shows no value of a variable in an error', async () => {
    await using user = await world();
    await using web = await startHttpEcho();
    const env = { ...untrusting.env, TOKEN: 'SENTINEL-5f1c9a7e2b' };
    const header = ['--header', 'Authorization: Bearer ${TOKEN}', '--header', 'X-Kind: plain'];
    const kind = await user.run(['call', web.url, 'header', 'name=x-kind', ...header], { env });
    expect(kind.stdout).toBe('plain\n');
    const token = await user.run(['call', web.url, 'header', 'name=authorization', ...header], { env });
    expect(token.stdout).toBe(`Bearer ${env.TOKEN}\n`); // a result is printed as the server sent it
    const gone = await user.run(['inspect', 'http://127.0.0.1:1/mcp?key=${TOKEN}', ...header], { env });
    expect(gone.exitCode).toBe(exitCodes.startFailed);
    expect(gone.stderr).not.toContain('SENTINEL');
  });

  test('uses the sign-in of mcpx login with its URL', async () => {
    const authorization = await startOAuthServer();
    const protectedEcho = await startProtectedEcho(authorization);
    await using user = await world();
    const call = () => user.run(['call', protectedEcho.url, 'echo', 'text=x'], untrusting);
    const refused = await call();
    expect(refused.exitCode).not.toBe(exitCodes.ok);
    expect(refused.stderr).toContain('Run "mcpx login" with its URL to sign in');
    const openPage = async (url: URL): Promise<boolean> => (await fetch(url)).ok;
    const login = await user.run(['login', protectedEcho.url], { ...untrusting, openPage });
    expect(login).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('Signed in to') });
    expect((await call()).stdout).toBe('x\n');
    expect((await user.run(['logout', protectedEcho.url], untrusting)).stdout).toContain('Signed out');
    expect((await call()).exitCode).not.toBe(exitCodes.ok);
    await protectedEcho.close();
    await authorization.close();
  });

  test.each<[what: string, words: readonly string[], message: string]>([
    ['no tool', [echo], 'The name of the tool must follow the server.'],
    ['an argument in place of the tool', [echo, '--text', 'x'], 'The name of the tool must follow the server.'],
    ['a role', [echo, 'echo', '--role', 'r'], '--role is for servers of a config, and this one is in none.'],
    ['a config', [echo, 'echo', '-c', 'x.yaml'], '--config is for servers of a config'],
    ['an unset variable', [`${echo} \${NOPE}`, 'echo'], 'The variable NOPE is not set.'],
    ['an open quote', ["node 'x", 'echo'], 'cannot be split into words'],
    ['another scheme', ['ftp://example.com/mcp', 'echo'], 'is not an http:// or https:// URL'],
    ['arguments of a URL', ['https://example.com/mcp --x', 'echo'], 'A server at a URL has no arguments'],
    ['headers of a command', [echo, 'echo', '--header', 'A: b'], 'A command has no headers.'],
    ['variables of a URL', ['https://example.com/mcp', 'echo', '--env', 'A=b'], 'has no --cwd and no --env'],
    ['mcpx itself', ['npx mcpx serve', 'echo'], 'This server is mcpx itself'],
    ['headers for a server of a config', ['files.echo', '--header', 'A: b'], '--header is for a server that is in no'],
  ])('with %s is wrong usage and starts nothing', async (_what, words, message) => {
    await using user = await world();
    const { exitCode, stderr } = await user.run(['call', ...words], untrusting);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('spawned');
  });

  test('that does not start says what can be done without a config', async () => {
    await using user = await world();
    const exits = lineOf(testServer('exits-at-once', '--stderr', 'API_KEY is not set'));
    const run = await user.run(['call', exits, 'x'], untrusting);
    expect(run.exitCode).toBe(exitCodes.startFailed);
    expect(run.stderr).toContain('If it needs API_KEY, add --env API_KEY\n');
    const missing = await user.run(['inspect', './nosuch'], untrusting);
    expect(missing.exitCode).toBe(exitCodes.startFailed);
    expect(missing.stderr).toContain('Check its command');
    const silent = lineOf(testServer('never-initializes'));
    const late = await user.run(['inspect', silent, '--timeout', '0.3'], untrusting);
    expect(late.exitCode).toBe(exitCodes.startFailed);
  });
});

describe('mcpx inspect', () => {
  test('shows what a server declares and offers', async () => {
    await using user = await world();
    const { exitCode, stdout } = await user.run(['inspect', everything], untrusting);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(
      /^server-everything is mcp-servers\/everything [\d.]+, protocol 2025-11-25\n {2}completions\n/,
    );
    expect(stdout).toContain('Instructions for models:\n');
    expect(stdout).toContain(
      '  get-sum(a: number, b: number)\n    Returns the sum of two numbers\n      a  First number\n      b  Second number\n',
    );
    expect(stdout).toContain('  demo://resource/dynamic/text/{resourceId}  ');
    expect(stdout).toContain('  args-prompt city= [state=]  ');
  });

  test('has all of it in one document', async () => {
    await using user = await world();
    const { stdout, stderr } = await user.run(['inspect', everything, '--json'], untrusting);
    const document = JSON.parse(stdout);
    expect(faultsOf('inspect', document)).toEqual([]);
    expect(document).toMatchObject({
      server: 'server-everything',
      serverInfo: { name: 'mcp-servers/everything' },
      instructions: expect.any(String),
      problems: [],
    });
    expect(document.tools.find(({ name }: { name: string }) => name === 'get-sum')).toMatchObject({
      inputSchema: { properties: { a: { type: 'number' } } },
    });
    expect(document.resources.length * document.templates.length * document.prompts.length).toBeGreaterThan(0);
    expect(stderr).toBe('');
  });

  test('takes a URL, and a server with tools alone', async () => {
    await using user = await world();
    await using web = await startHttpEcho();
    const { stdout, stderr } = await user.run(['inspect', web.url], untrusting);
    expect(stdout).toContain('127-0-0-1 is http-echo 1.0.0');
    expect(stdout).toContain('  header(name: string)\n');
    expect(stdout).toMatch(/: 0 resources\n.*: 0 prompts\n$/);
    expect(stderr).not.toContain('warning');
  });

  test('shows no character that a terminal obeys', async () => {
    await using user = await world();
    const { stdout, stderr } = await user.run(['inspect', lineOf(hostileServer), '--verbose'], untrusting);
    expect(stdout).toContain('tools');
    expect(stdout + stderr).not.toMatch(obeyed);
  });

  test('leaves single words to the config', async () => {
    await using user = await world();
    const { exitCode, stderr } = await user.run(['inspect', 'files'], untrusting);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('For a server of the config run "mcpx discover files".');
  });

  test('stops the server when it is interrupted', async () => {
    await using user = await world();
    await using inspection = startMcpx(user.project, ['inspect', lineOf(testServer('never-initializes'))]);
    await inspection.seen(/spawned process/);
    inspection.child.kill('SIGINT');
    expect((await inspection.ended()).exitCode).toBe(exitCodes.interrupted);
  });

  test('leaves no server behind when it is killed', async () => {
    await using user = await world();
    await using inspection = startMcpx(user.project, ['inspect', lineOf(testServer('ignores-sigterm'))]);
    const [, pid = ''] = await inspection.seen(/spawned process (\d+)/);
    inspection.child.kill('SIGKILL');
    await inspection.ended();
    await promisify(execFile)('tail', [`--pid=${pid}`, '-f', '/dev/null']); // ends with that process
  });
});

test('mcpx types writes declarations of a server that is in no config', async () => {
  await using user = await world();
  const { stdout, stderr } = await user.run(['types', typed, '--output', 'tools.d.ts'], untrusting);
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining('tools in tools.d.ts\n') });
  expect(await user.read(join('project', 'tools.d.ts'))).toContain('"mcp__typed-tools__find_word"(args: {');
});
