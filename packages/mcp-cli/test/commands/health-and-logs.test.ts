import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type DaemonStage, daemonStage, expectNoLeaksBeside } from '../helpers/daemon-stage.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage, upOn } from '../helpers/stage-commands.js';

const servers = [
  { name: 'files', server: 'echo' },
  { name: 'manual', server: 'echo', fields: { auto_start: false } },
  { name: 'dead', server: 'exits-at-once', fields: { auto_start: false }, args: ['--stderr', 'last words'] },
] as const;

const stage = () => project({ 'mcp_servers.yaml': serversFile(servers) });

describe('health', () => {
  afterEach(expectNoLeaks);

  test('starts servers with auto_start, checks them and stops them again', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['health'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^files +● running +✓ +8 /m);
    expect(stdout).toMatch(/^manual +○ manual /m);
    expect(stderr).toContain('files ready');
  });

  test('of a server that does not start exits with 4 and its last stderr lines', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['health', 'dead', 'files'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.startFailed);
    expect(stderr).toContain('last words');
    const asJson = await runMcpx(['health', 'files', '--json'], { cwd: here.folder });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ servers: [{ name: 'files', health: 'healthy' }] });
  });

  test('leaves the servers of a daemon as they are; a named stopped server is unhealthy', async () => {
    await using daemon = await daemonStage(servers);
    await upOn(daemon);
    expect((await onStage(daemon, ['health'])).exitCode).toBe(exitCodes.ok);
    const named = await onStage(daemon, ['health', 'manual']);
    expect(named.exitCode).toBe(exitCodes.failed);
    expect(named.stdout).toMatch(/^manual +○ manual /m);
  });
});

describe('the first health check', () => {
  afterEach(expectNoLeaks);

  const sick = (calls: number, check: string) => ({
    name: 'db',
    server: 'counter' as const,
    args: ['--file', '/dev/null', '--sick', String(calls)],
    fields: { health_check: { method: 'tool_call', tool: check, timeout_seconds: 1 } },
  });

  test('that fails makes up exit with 4; its reason is in up, status and health at once', async () => {
    const settings = { startup_timeout_seconds: 60 };
    await using daemon = await daemonStage([sick(1_000, 'db.status'), { name: 'files', server: 'echo' }], { settings });
    const up = await onStage(daemon, ['up']);
    const reason = /the tool "status" returned an error: database not reachable/;
    expect(up.exitCode).toBe(exitCodes.startFailed);
    expect(up.stdout).toContain('✓ files is up');
    expect(up.stdout).not.toContain('db is up');
    expect(up.stderr).toMatch(/✗ db has started, but its health check fails: /);
    expect(up.stderr).toMatch(reason);
    expect((await onStage(daemon, ['status'])).stdout).toMatch(
      /^db +◐ starting +✗ .*the tool "status" returned an error: database not reachable/m,
    );
    const health = await onStage(daemon, ['health', 'db']);
    expect(health).toMatchObject({ exitCode: exitCodes.failed, stdout: expect.stringMatching(reason) });
    const { servers: rows } = JSON.parse((await onStage(daemon, ['status', '--json'])).stdout);
    expect(rows[0]).toMatchObject({ name: 'db', health: 'unhealthy', healthError: expect.stringMatching(reason) });
  });

  test('that calls a tool which the server lacks makes up exit with 4 and name the nearest tool', async () => {
    await using daemon = await daemonStage([sick(0, 'db.statu')]);
    const up = await onStage(daemon, ['up']);
    expect(up.exitCode).toBe(exitCodes.startFailed);
    expect(up.stderr).toContain('calls "statu", which is not among its 4 tools. Did you mean "status"');
  });
});

describe('capabilities', () => {
  afterEach(expectNoLeaks);

  test('are those that the server declares', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'docs', server: 'resources-and-prompts' }]),
    });
    const { exitCode, stdout } = await runMcpx(['capabilities', 'docs'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toBe(
      [
        'docs is resources-and-prompts 1.0.0, protocol 2025-11-25',
        '  completions',
        '  logging',
        '  prompts (listChanged)',
        '  resources (subscribe, listChanged)',
        '  tools (listChanged)',
        '',
        'Instructions for models:',
        'Read before you write.',
        '',
      ].join('\n'),
    );
    const asJson = await runMcpx(['capabilities', 'docs', '--json'], { cwd: here.folder });
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      server: 'docs',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'resources-and-prompts', version: '1.0.0' },
      instructions: 'Read before you write.',
      capabilities: { resources: { subscribe: true } },
    });
  });
});

describe('logs', () => {
  let daemon: DaemonStage;
  beforeAll(async () => {
    const saysIt = {
      server: 'exits-at-once',
      fields: { auto_start: false },
      args: ['--stderr', 'last words'],
    } as const;
    daemon = await daemonStage([
      { name: 'Says It', ...saysIt },
      { name: 'says', ...saysIt },
      { name: 'once', ...saysIt, args: ['--stderr', 'was here'] },
      { name: 'tools', server: 'conformance', fields: { auto_start: false } },
      { name: 'echo', server: 'echo' },
    ]);
  });
  afterEach(() => expectNoLeaksBeside(daemon));
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  test('stored lines of an earlier daemon are shown with their time, with a note that none is running', async () => {
    await onStage(daemon, ['start', 'Says It']);
    await onStage(daemon, ['down']);
    const { exitCode, stdout, stderr } = await onStage(daemon, ['logs', 'Says It', '-n', '1']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z last words\n$/);
    expect(stderr).toBe(
      `No daemon is running for this config. These lines end at ${stdout.slice(0, 24)}. Run "mcpx up" to start a daemon.\n`,
    );
    const asJson = JSON.parse((await onStage(daemon, ['logs', 'Says It', '-n', '1', '--json'])).stdout);
    expect(asJson).toEqual({ server: 'Says It', line: 'last words', at: stdout.slice(0, 24), isEarlier: true });
  });

  test('survive restarts of the server', async () => {
    await onStage(daemon, ['start', 'once']);
    await onStage(daemon, ['start', 'once']);
    expect((await onStage(daemon, ['logs', 'once'])).stdout).toMatch(/^\S+Z was here\n\S+Z was here\n/);
  });

  test('have the messages that a server sends by the protocol, with their level', async () => {
    await onStage(daemon, ['start', 'tools']);
    await onStage(daemon, ['call', 'tools.test_tool_with_logging']);
    const { stdout } = await onStage(daemon, ['logs', 'tools']);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \[info\] Tool execution started$/m);
    const last = JSON.parse((await onStage(daemon, ['logs', 'tools', '-n', '1', '--json'])).stdout);
    expect(last).toEqual({
      server: 'tools',
      line: 'Tool execution completed',
      level: 'info',
      at: expect.any(String),
    });
  });

  test('of a server that has written nothing are empty, with a note', async () => {
    await onStage(daemon, ['up']);
    expect(await onStage(daemon, ['logs', 'echo'])).toMatchObject({
      stdout: '',
      stderr: 'echo has written nothing to stderr and sent no log messages.\n',
    });
  });

  test('without a daemon are empty, with a note', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['logs', 'files', '--follow'], { cwd: here.folder });
    expect({ exitCode, stdout }).toEqual({ exitCode: exitCodes.ok, stdout: '' });
    expect(stderr).toContain('No daemon is running for this config');
    expect((await runMcpx(['logs', 'fils'], { cwd: here.folder })).exitCode).toBe(exitCodes.notFound);
  });

  test('are the last lines of a server of the daemon and its next ones', async () => {
    await onStage(daemon, ['start', 'says']);
    await onStage(daemon, ['stop', 'says']);
    const all = (await onStage(daemon, ['logs', 'says'])).stdout;
    expect(all).toMatch(/^(\d{4}-\d\d-\d\dT[\d:.]+Z last words\n)+$/);
    expect((await onStage(daemon, ['logs', 'says', '--lines', '1'])).stdout).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z last words\n$/,
    );
    expect((await onStage(daemon, ['logs', 'says', '-n', '0'])).stdout).toBe('');
    expect((await onStage(daemon, ['logs', 'says', '-n', '1', '--json'])).stdout).toMatch(
      /^\{"server":"says","line":"last words","at":"[^"]+Z"\}\n$/,
    );
    const interruption = new AbortController();
    let started: Promise<unknown> | undefined;
    const followed = await onStage(daemon, ['logs', 'says', '-f', '-n', '1'], {
      signal: interruption.signal,
      onStdout: (text) => {
        started ??= onStage(daemon, ['start', 'says']);
        if (text.split('last words').length > 2) interruption.abort();
      },
    });
    await started;
    expect(followed.exitCode).toBe(exitCodes.interrupted);
    expect(followed.stdout).toMatch(/^\S+Z last words\n\S+Z last words\n/);
  });
});
