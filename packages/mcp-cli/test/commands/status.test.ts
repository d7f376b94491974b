import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

describe('status without a daemon', () => {
  afterEach(expectNoLeaks);

  test('shows the configured servers, starts nothing and says how to start them', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile(servers.slice(0, 2)) });
    const { exitCode, stdout, stderr } = await runMcpx(['status'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^Server +State +Health +Tools +PID +Uptime +Restarts +Memory +Last error$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^files +○ stopped +- +- +- +- +0 +-$/);
    expect(rows[1]).toMatch(/^manual +○ manual +- +- +- +- +0 +-$/);
    expect(stderr).toBe(
      'No daemon is running for this config, so no server is running. Run "mcpx up" to start them.\n',
    );
  });

  test.each(['status', 'list'])('%s of a config without servers says how to add one', async (command) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([]) });
    expect(await runMcpx([command], { cwd: here.folder })).toMatchObject({
      exitCode: exitCodes.ok,
      stderr: 'The config has no servers. "mcpx add" adds one.\n',
    });
  });

  test('--json prints the same as data, without a daemon', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile(servers.slice(0, 1)) });
    const { exitCode, stdout, stderr } = await runMcpx(['status', '--json'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      servers: [
        {
          name: 'files',
          state: 'stopped',
          phase: 'idle',
          health: 'unknown',
          autoStart: true,
          disabled: false,
          transport: 'stdio',
          tools: 0,
          callsInFlight: 0,
          callsQueued: 0,
          restarts: 0,
          junkLines: 0,
          catalogProblems: [],
          file: join(here.folder, 'mcp_servers.yaml'),
        },
      ],
      totalRunning: 0,
      totalHealthy: 0,
    });
  });

  test('shows the named servers in the order of the config', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile(servers) });
    const two = await runMcpx(['status', 'dead', 'files'], { cwd: here.folder });
    expect(two.exitCode).toBe(exitCodes.ok);
    expect(two.stdout).toMatch(/^Server .*\nfiles .*\ndead .*\n$/);
    const one = JSON.parse((await runMcpx(['status', 'manual', '--json'], { cwd: here.folder })).stdout);
    expect(one.servers).toMatchObject([{ name: 'manual' }]);
    expect(one.servers).toHaveLength(1);
    const none = await runMcpx(['status', 'fils'], { cwd: here.folder });
    expect(none.exitCode).toBe(exitCodes.notFound);
    expect(none.stderr).toContain('Did you mean "files"?');
  });

  test('--watch fails without a daemon', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile(servers.slice(0, 1)) });
    const { exitCode, stderr } = await runMcpx(['status', '--watch'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toContain('Run "mcpx up" to start it.');
  });
});

describe('status of a daemon', () => {
  let stage: DaemonStage;
  beforeAll(async () => {
    stage = await daemonStage(servers);
  });
  beforeEach(async () => {
    await upOn(stage);
    await onStage(stage, ['stop', 'manual', 'dead']);
  });
  afterEach(() => expectNoLeaksBeside(stage));
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  test('shows process, uptime, memory and the last error', async () => {
    await onStage(stage, ['start', 'dead']);
    const { exitCode, stdout, stderr } = await onStage(stage, ['status']);
    expect({ exitCode, stderr }).toEqual({ exitCode: exitCodes.ok, stderr: '' });
    const [, files, manual, dead] = stdout.split('\n');
    expect(files).toMatch(/^files +● running +[-✓] +8 +\d+ +\d+s +0 +(\d+ MB|-)$/);
    expect(manual).toMatch(/^manual +○ manual /);
    expect(dead).toMatch(/^dead +(✗ failed|◐ starting) .* exited \(code 1\)/);
    await onStage(stage, ['health', 'files']);
    const asJson = JSON.parse((await onStage(stage, ['status', '--json'])).stdout);
    expect(asJson).toMatchObject({
      totalRunning: 1,
      totalHealthy: 1,
      daemon: { pid: expect.any(Number), workerPid: expect.any(Number), version: expect.any(String) },
      servers: [{ name: 'files', state: 'running', pid: expect.any(Number), uptimeMs: expect.any(Number) }, {}, {}],
    });
  });

  test('--watch prints a line per change without a terminal, until interrupted', async () => {
    const interruption = new AbortController();
    let started: Promise<unknown> | undefined;
    const { exitCode, stdout, stderr } = await onStage(stage, ['status', '--watch'], {
      signal: interruption.signal,
      onStdout: (text) => {
        if (text.includes(' dead ')) started ??= onStage(stage, ['start', 'manual']);
        if (/ manual running.*8 tools/.test(text)) interruption.abort();
      },
    });
    await started;
    expect(exitCode).toBe(exitCodes.interrupted);
    expect(stderr).toBe('Interrupted.\n');
    expect(stdout).toMatch(/^\S+Z files running(, healthy)?, 8 tools$/m);
    expect(stdout).toMatch(/^\S+Z manual stopped$/m);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \S+ \S/);
  });

  test('--watch of one server shows no other', async () => {
    const interruption = new AbortController();
    let changed: Promise<unknown> | undefined;
    const { stdout } = await onStage(stage, ['status', 'manual', '--watch'], {
      signal: interruption.signal,
      onStdout: (text) => {
        changed ??= onStage(stage, ['restart', 'files']).then(() => onStage(stage, ['start', 'manual']));
        if (/ manual running/.test(text)) interruption.abort();
      },
    });
    await changed;
    expect(stdout).not.toContain(' files ');
    expect(stdout).toMatch(/ manual running/);
  });

  test('--watch --json prints a document per line', async () => {
    const interruption = new AbortController();
    const { stdout } = await onStage(stage, ['status', '--watch', '--json'], {
      signal: interruption.signal,
      onStdout: (text) => {
        if (text.split('\n').length > servers.length) interruption.abort();
      },
    });
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { server: string; row: object });
    expect(new Set(events.map(({ server }) => server))).toEqual(new Set(servers.map(({ name }) => name)));
    expect(events[0]?.row).toMatchObject({ name: events[0]?.server, restarts: expect.any(Number) });
  });

  test('--watch redraws the table in a terminal and restores the cursor', async () => {
    const interruption = new AbortController();
    let stopped: Promise<unknown> | undefined;
    const { stdout } = await onStage(stage, ['status', '--watch'], {
      signal: interruption.signal,
      terminal: { columns: 200, rows: 40 },
      env: { ...stage.io.env, NO_COLOR: '1' },
      onStdout: (text) => {
        if (text.includes('● running')) stopped ??= onStage(stage, ['stop', 'files']);
        if (/files +○ stopped/.test(text)) interruption.abort();
      },
    });
    await stopped;
    const height = servers.length + 1;
    expect(stdout.startsWith('\u001b[?25l\u001b[?7l\u001b[JServer ')).toBe(true);
    expect(stdout).toContain(`\r\u001b[${height}A\u001b[JServer `);
    expect(stdout.endsWith('\u001b[?7h\u001b[?25h')).toBe(true);
  });

  test('--watch ends with the daemon and says so', async () => {
    let left: Promise<unknown> | undefined;
    const { exitCode, stderr } = await onStage(stage, ['status', '--watch'], {
      onStdout: () => {
        left ??= onStage(stage, ['down', '--now']);
      },
    });
    await left;
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toContain('The daemon ended');
  });
});

describe('an interruption', () => {
  afterEach(expectNoLeaks);

  test('of start says that the daemon continues, and it does', async () => {
    await using stage = await daemonStage([{ name: 'silent', server: 'never-initializes' }]);
    const interruption = new AbortController();
    const { exitCode, stderr } = await onStage(stage, ['start', 'silent'], {
      signal: interruption.signal,
      onStderr: (text) => {
        if (text.includes('spawned')) interruption.abort();
      },
    });
    expect(exitCode).toBe(exitCodes.interrupted);
    expect(stderr).toContain('Interrupted. The daemon and its servers keep running');
    expect(JSON.parse((await onStage(stage, ['status', '--json'])).stdout)).toMatchObject({
      servers: [{ name: 'silent', state: 'starting' }],
    });
  });
});
