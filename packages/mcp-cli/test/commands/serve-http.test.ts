import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { certificate } from '../fixtures/certificate.js';
import { connectHttp, generations, post, statusOf } from '../helpers/http-client.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { startMcpx, startServing, startServingProcess } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const isPosix = process.platform !== 'win32';
const files = { 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) };
const roles = `tools: { app: { role_restrictions: {
  review: { allowed_tools: [files.echo] }, build: { allowed_tools: [files.pid] } } } }`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test.each(generations)('serves a %s client at the printed address', async (generation) => {
  const shelf = serversFile([{ name: 'shelf', server: 'resources-and-prompts' }]);
  await using here = await project({ 'mcp_servers.yaml': shelf });
  await using serving = await startServing(here.folder);
  await using connection = await connectHttp(serving.url, { token: await serving.token(), generation });
  const { client } = connection;

  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_mcp_tools', 'mcp__shelf__echo']));
  const echoed = await client.callTool({ name: 'mcp__shelf__echo', arguments: { text: 'hello' } });
  expect(echoed.content).toEqual([{ type: 'text', text: 'hello' }]);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['mcp+shelf:test://a', 'mcp+shelf:test://b']);
  expect((await client.readResource({ uri: 'mcp+shelf:test://a' })).contents).toMatchObject([
    { uri: 'mcp+shelf:test://a' },
  ]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['mcp__shelf__greet']);
});

describe('the token', () => {
  test('is generated once for a config, printed as a path, and required on loopback, too', async () => {
    await using here = await project(files);
    await using first = await startServing(here.folder);
    const [, path = ''] = await first.seen(/only you can read: (.+)\nClients send .*Authorization: Bearer <token>\n/);
    const token = await first.token();
    if (isPosix) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await post(first.url)).status).toBe(401);
    expect((await post(first.url, bearer('not-the-right-token'))).status).toBe(401);
    expect((await post(`${first.url}?token=${token}`)).status).toBe(401);
    expect((await post(first.url, bearer(token))).status).toBe(200);

    await using second = await startServing(here.folder);
    expect(await second.token()).toBe(token);
    expect(second.stderr()).not.toContain('was made');
    expect(`${first.stdout()}${first.stderr()}${second.stderr()}`).not.toContain(token);
  });

  test.runIf(isPosix)('is in no process list', async () => {
    await using here = await project(files);
    await using serving = await startServingProcess(here.folder);
    const token = await serving.token();
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'], { maxBuffer: 1 << 26 });
    expect(stdout).toContain('serve --own-servers --http');
    expect(stdout).not.toContain(token);
  });

  test('may come from a file or the environment', async () => {
    await using here = await project(files);
    const file = join(here.folder, 'token');
    await writeFile(file, 'token-of-a-file-here\n', { mode: 0o600 });
    const env = { MCPX_TOKEN: 'token-of-environment' };
    await using byFile = await startServing(here.folder, ['--token-file', 'token'], env);
    await using byEnv = await startServing(here.folder, [], env);
    expect((await post(byFile.url, bearer('token-of-a-file-here'))).status).toBe(200);
    expect((await post(byFile.url, bearer(env.MCPX_TOKEN))).status).toBe(401);
    expect((await post(byEnv.url, bearer(env.MCPX_TOKEN))).status).toBe(200);
    expect(`${byFile.stderr()}${byEnv.stderr()}`).not.toMatch(/token-of-/);
  });

  test('is not required with --no-token, with a warning', async () => {
    await using here = await project(files);
    await using serving = await startServing(here.folder, ['--no-token']);
    expect((await post(serving.url)).status).toBe(200);
    expect(serving.stderr()).toContain('warning: There is no authentication');
  });

  test('has no option that takes its value', async () => {
    const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', '--http', '--token', 'x']);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain("unknown option '--token'");
  });
});

describe('requests from elsewhere', () => {
  test('rejects other host names, web pages and paths', async () => {
    await using here = await project(files);
    const args = ['--path', '/tools', '--allowed-origin', 'https://app.example.com'];
    await using serving = await startServing(here.folder, args);
    const headers = bearer(await serving.token());
    expect(serving.url).toMatch(/\/tools$/);
    expect((await post(serving.url.replace('/tools', '/mcp'), headers)).status).toBe(404);
    expect((await post(serving.url, { ...headers, origin: 'https://evil.example.com' })).status).toBe(403);
    const allowed = await post(serving.url, { ...headers, origin: 'https://app.example.com' });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(await statusOf(serving.url, { ...headers, host: 'rebound.example.com' })).toBe(403);
  });

  test('serves an allowed host name', async () => {
    await using here = await project(files);
    await using serving = await startServing(here.folder, ['--allowed-host', 'tools.example.com']);
    const headers = bearer(await serving.token());
    expect(await statusOf(serving.url, { ...headers, host: 'tools.example.com' })).toBe(200);
    expect(await statusOf(serving.url, { ...headers, host: 'localhost' })).toBe(200);
  });
});

test('serves TLS with the named files', async () => {
  await using here = await project({ ...files, 'cert.pem': certificate.cert, 'key.pem': certificate.key });
  await using serving = await startServing(here.folder, [
    '--tls-cert',
    'cert.pem',
    '--tls-key',
    'key.pem',
    '--no-token',
  ]);
  expect(serving.url).toMatch(/^https:/);
  expect(await statusOf(serving.url, {}, certificate.cert)).toBe(200);
  await expect(statusOf(serving.url, {}, undefined)).rejects.toThrow('self-signed certificate');
});

describe('the end', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s lets a call finish, takes no more, and frees the port',
    async (signal) => {
      await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
      await using serving = await startServingProcess(here.folder, ['--no-token']);
      await using connection = await connectHttp(serving.url, { generation: '2.x of 2026-07-28' });
      const progress = new EventEmitter();
      const progressed = once(progress, 'seen');
      const result = connection.client.callTool(
        { name: 'mcp__slow__wait', arguments: { ms: 1_000, steps: 2 } },
        { onprogress: () => progress.emit('seen') },
      );
      await progressed;
      serving.child.kill(signal);
      expect((await result).content).toEqual([{ type: 'text', text: 'waited 1000 ms' }]);
      const { exitCode, stderr } = await serving.ended();
      expect(exitCode).toBe(exitCodes.ok);
      expect(stderr).toContain('Shutting down. Open requests have 20 seconds to finish.');
      await expect(post(serving.url)).rejects.toThrow();
    },
  );

  test('the second signal ends the gateway at once, with no server left', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
    await using serving = await startServingProcess(here.folder, ['--no-token']);
    await using connection = await connectHttp(serving.url);
    const progress = new EventEmitter();
    const progressed = once(progress, 'seen');
    const result = connection.client.callTool(
      { name: 'mcp__slow__wait', arguments: { ms: 60_000, steps: 600 } },
      { onprogress: () => progress.emit('seen') },
    );
    result.catch(() => undefined);
    await progressed;
    serving.child.kill('SIGTERM');
    await expect.poll(async () => (await post(serving.url)).status).toBe(503);
    serving.child.kill('SIGINT');
    expect((await serving.ended()).exitCode).toBe(exitCodes.interrupted);
  });
});

describe('errors before serving', () => {
  const run = (folder: string, args: readonly string[]) =>
    runMcpx(['serve', '--own-servers', '--http', ...args], { cwd: folder });

  test('a second gateway on one port fails with a remedy; the first continues', async () => {
    await using here = await project(files);
    await using first = await startServing(here.folder, ['--no-token']);
    const { port } = new URL(first.url);
    const { exitCode, stdout, stderr } = await run(here.folder, ['--no-token', '--port', port]);
    expect(exitCode).toBe(exitCodes.failed);
    expect(stdout).toBe('');
    expect(stderr).toContain(`error: Port ${port} of 127.0.0.1 is in use by another program.\n`);
    expect(stderr).toContain('--port 0 chooses any free port');
    expect(stderr).not.toContain('spawned');
    expect((await post(first.url)).status).toBe(200);
  });

  test.each([
    [['--host', '0.0.0.0', '--no-token'], 'would let every machine'],
    [['--host', '203.0.113.7', '--token-file', 'token'], 'is not an address of this machine'],
    [['--host', 'no-such-host.invalid', '--token-file', 'token'], 'cannot be resolved'],
    [['--health-path', 'healthz', '--no-token'], '--health-path healthz is not a valid URL path.'],
    [['--ready-path', '/mcp', '--no-token'], '--path and --ready-path are both /mcp.'],
    [['--drain', 'soon', '--no-token'], 'Give a whole number from 0 to 3600.'],
    [['--port', '65536'], 'Give a whole number from 0 to 65535.'],
    [['--port', 'http'], 'Give a whole number from 0 to 65535.'],
    [['--allowed-origin', 'example.com', '--no-token'], '--allowed-origin must be'],
    [['--allowed-host', 'https://example.com', '--no-token'], '--allowed-host must be'],
    [['--token-file', 'missing'], 'does not exist'],
    [['--token-file', 'open'], 'mode 644'],
    [[], 'no directory to store a token in'],
    [['--tls-cert', 'cert.pem', '--tls-key', 'missing', '--no-token'], 'ENOENT'],
    [['--tls-cert', 'cert.pem', '--tls-key', 'other.pem', '--no-token'], 'HTTPS cannot use'],
    [['--tls-cert', 'token', '--tls-key', 'key.pem', '--no-token'], 'HTTPS cannot use'],
    [['--role', 'nobody', '--no-token'], 'No role is named "nobody"'],
    [['--names', 'as-is', '--mode', 'search', '--no-token'], '--names as-is cannot be combined with --mode search'],
    [['--auto-above', '3', '--no-token'], '--auto-above'],
    [['--instructions-in-search', '--no-token'], '--instructions-in-search requires --mode search or auto.'],
    [['--names', 'nested', '--mode', 'auto', '--no-token'], '--names nested cannot be combined with --mode auto'],
    [['--limit-role', 'review', '--no-token'], 'such as review=60/m'],
    [['--mode', 'all', '--no-token'], 'Allowed choices are full, search, auto'],
  ])('%j is wrong usage, reported before any server starts', async (args, reason) => {
    const { cert, key, otherKey } = certificate;
    await using here = await project({ ...files, 'cert.pem': cert, 'key.pem': key, 'other.pem': otherKey });
    await writeFile(join(here.folder, 'token'), 'token-of-a-file-here', { mode: 0o600 });
    await writeFile(join(here.folder, 'open'), 'token-of-a-file-here');
    await chmod(join(here.folder, 'open'), 0o644);
    const { exitCode, stdout, stderr } = await run(here.folder, args);
    expect(stderr).toContain(reason);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stdout).toBe('');
    expect(stderr).not.toContain('spawned');
    expect(stderr).not.toContain('token-of-a-file-here');
  });

  test.each([
    ['--port', '0'],
    ['--health-path', '/healthz'],
    ['--no-token'],
    ['--tls-cert', 'a'],
    ['--tokens-file', 'a'],
    ['--json'],
  ])('%s without --http is wrong usage', async (...args) => {
    const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', ...args]);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain(`${args[0]} requires --http.\nAdd --http`);
  });

  test('an unknown server', async () => {
    await using here = await project(files);
    const { exitCode, stderr } = await run(here.folder, ['flies', '--no-token']);
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('No server is named "flies".');
  });
});

test('--json prints the address on stdout in one line, and nothing else', async () => {
  await using here = await project(files);
  await using serving = startMcpx(here.folder, ['serve', '--own-servers', '--http', '--port', '0', '--json']);
  const [line] = await serving.seen(/^.*\n/, 'stdout');
  const told = JSON.parse(line) as { url: string; servers: string[]; tokenFile: string };
  expect(told).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
    servers: ['files'],
    tokenFile: expect.any(String),
  });
  const token = (await readFile(told.tokenFile, 'utf8')).trim();
  expect((await post(told.url, bearer(token))).status).toBe(200);
  serving.child.kill('SIGTERM');
  expect((await serving.ended()).stdout).toBe(line);
});

test('--audit records caller and request', async () => {
  await using here = await project({ ...files, 'tools.yaml': roles });
  await using serving = await startServingProcess(here.folder, [
    '--no-token',
    '--role',
    'review',
    '--audit',
    'audit.jsonl',
  ]);
  {
    await using connection = await connectHttp(serving.url);
    await connection.client.callTool({ name: 'mcp__files__echo', arguments: { text: 'secret text' } });
    await expect(connection.client.callTool({ name: 'mcp__files__pid', arguments: {} })).rejects.toThrow();
  }
  serving.child.kill('SIGTERM');
  await serving.ended();
  const text = await readFile(join(here.folder, 'audit.jsonl'), 'utf8');
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({ action: 'call', role: 'review', tool: 'echo', outcome: 'ok' }),
  );
  expect(events).toContainEqual(expect.objectContaining({ action: 'call', tool: 'pid', decision: 'denied' }));
  expect(text).not.toContain('secret text');
});
