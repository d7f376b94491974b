import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonInstall, daemonLogs, daemonReload, daemonStatus } from '../../src/commands/daemon.js';
import { restart, start, stop } from '../../src/commands/start-stop.js';
import { down, up } from '../../src/commands/up.js';
import { type DaemonStage, daemonStage, expectNoLeaksBeside } from '../helpers/daemon-stage.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

const servers = [
  { name: 'echo', server: 'echo' },
  { name: 'manual', server: 'echo', fields: { auto_start: false } },
  { name: 'dead', server: 'exits-at-once', fields: { auto_start: false }, args: ['--stderr', 'last words'] },
] as const;

describe('with a daemon', () => {
  afterEach(expectNoLeaks);

  test('up prints a line for each server with auto_start, and down stops all', async () => {
    await using stage = await daemonStage(servers);
    const came = await stage.run((io) => up({ servers: [] }, io));
    expect(came.exitCode).toBe(exitCodes.ok);
    expect(came.stdout).toMatch(
      /^✓ echo is up\nThe daemon runs as process \d+\. "mcpx down" stops it and its servers\.\n$/,
    );
    expect(came.stderr).toBe('');
    const went = await stage.run((io) => down({ json: true }, io));
    expect(JSON.parse(went.stdout)).toEqual({ stopped: true, pid: expect.any(Number) });
    expect(await stage.processes()).toEqual([]);
  });

  test('up, start and restart --verbose print stderr of the servers, with and without names', async () => {
    await using stage = await daemonStage([
      { name: 'loud', server: 'floods-stderr', args: ['--megabytes', '0.0005'] },
      { name: 'manual', server: 'floods-stderr', args: ['--megabytes', '0.0005'], fields: { auto_start: false } },
    ]);
    const linesOf = async (...argv: readonly string[]) => {
      const { exitCode, stderr } = await onStage(stage, [...argv, '--verbose']);
      expect(exitCode).toBe(exitCodes.ok);
      return Array.from(stderr.matchAll(/^ {2}(\w+) \| x+…$/gm), ([, name]) => name);
    };
    expect(await linesOf('up')).toEqual(['loud', 'loud']);
    expect(await linesOf('start', 'manual')).toEqual(['manual', 'manual']);
    expect(await linesOf('restart', 'manual')).toEqual(['manual', 'manual', 'manual', 'manual']);
    await onStage(stage, ['stop', 'manual']);
    expect(new Set(await linesOf('restart'))).toEqual(new Set(['loud']));
  });

  test('up without a writable directory names it and a remedy', async () => {
    await using stage = await daemonStage(servers);
    const file = join(stage.folder, 'file');
    await writeFile(file, '');
    const env = { ...stage.io.env, XDG_RUNTIME_DIR: file };
    for (const argv of [['up'], ['up', '--foreground']]) {
      const { exitCode, stderr } = await onStage(stage, argv, { env });
      expect(exitCode).toBe(exitCodes.failed);
      expect(stderr).toMatch(/^error: The daemon could not start: (ENOTDIR|EEXIST)[^\n]*\nIt stores its files in /);
      expect(stderr).toContain('set XDG_RUNTIME_DIR');
    }
  });

  test('up says how to start servers without auto_start', async () => {
    await using stage = await daemonStage([{ name: 'manual', server: 'echo', fields: { auto_start: false } }]);
    const { exitCode, stderr } = await stage.run((io) => up({ servers: [] }, io));
    expect(exitCode).toBe(exitCodes.ok);
    expect(stderr).toContain('No server has auto_start. Run "mcpx start manual" to start one.\n');
  });

  test('stop --force kills a server at once that would not leave', async () => {
    const fields = { shutdown_timeout_seconds: 30 };
    await using stage = await daemonStage([
      { name: 'usual', server: 'ignores-sigterm', fields },
      { name: 'forced', server: 'ignores-sigterm', fields },
    ]);
    await stage.run((io) => up({ servers: [] }, io));
    const usual = onStage(stage, ['stop', 'usual']).then(() => 'usual');
    const forced = onStage(stage, ['stop', 'forced', '--force']);
    expect(await Promise.race([usual, forced])).toMatchObject({
      exitCode: exitCodes.ok,
      stdout: '✓ forced is stopped\n',
    });
    await onStage(stage, ['stop', 'usual', '--force']); // the stop in progress ends with it
    expect(await usual).toBe('usual');
  });
});

describe('with one daemon', () => {
  let stage: DaemonStage;
  beforeAll(async () => {
    stage = await daemonStage(servers);
  });
  afterEach(async () => {
    await onStage(stage, ['stop']);
    await expectNoLeaksBeside(stage);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  // First, before anything has started the daemon.
  test('restart without running servers says so', async () => {
    const { exitCode, stderr } = await stage.run((io) => restart({ servers: [] }, io));
    expect({ exitCode, stderr }).toEqual({
      exitCode: exitCodes.ok,
      stderr: 'No server is running. Run "mcpx up" to start servers.\n',
    });
  });

  test('start, stop and restart affect the named servers', async () => {
    expect(await stage.run((io) => start({ servers: ['manual'] }, io))).toMatchObject({
      exitCode: exitCodes.ok,
      stdout: '✓ manual is up\n',
    });
    expect(await stage.run((io) => restart({ servers: ['manual'] }, io))).toMatchObject({
      stdout: '✓ manual is up again\n',
    });
    expect(await stage.run((io) => stop({ servers: ['manual'] }, io))).toMatchObject({
      stdout: '✓ manual is stopped\n',
    });
    const nothing = await stage.run((io) => restart({ servers: [], json: true }, io));
    expect(JSON.parse(nothing.stdout)).toEqual({ servers: [] });
  });

  test('a server that does not start is reported with its last stderr lines and exit code 4', async () => {
    const { exitCode, stderr } = await stage.run((io) => start({ servers: ['dead', 'echo'] }, io));
    expect(exitCode).toBe(exitCodes.startFailed);
    expect(stderr).toMatch(/✗ dead .*\n {2}dead \| last words\nRun "mcpx discover dead --refresh --verbose"/);
    expect(stderr).toContain(' It is tried again in a moment.\n'); // the daemon goes on
    const asJson = await stage.run((io) => start({ servers: ['dead'], json: true }, io));
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      servers: [{ server: 'dead', status: 'failed', error: { code: 'start-failed' } }],
    });
    await expect(stage.run((io) => start({ servers: ['nobody'] }, io))).rejects.toMatchObject({
      exitCode: exitCodes.notFound,
    });
  });

  test('daemon status, reload and logs concern the daemon itself', async () => {
    await stage.run((io) => up({ servers: [] }, io));
    const status = await stage.run((io) => daemonStatus({}, io));
    expect(status.stdout).toMatch(/^mcpx \S+ runs as process \d+, its servers in process \d+\nsince +\d{4}-/);
    expect(status.stdout).toContain(`config   ${join(stage.folder, 'mcp_servers.yaml')}\n`);
    expect(await stage.run((io) => daemonReload({}, io))).toMatchObject({
      stdout: 'Nothing has changed since the last reload.\n',
    });
    const logs = await until(async () => {
      const { stdout } = await stage.run((io) => daemonLogs({}, io));
      return stdout.includes('the config was read again') && stdout; // it takes its way through the parent
    });
    expect(logs).toMatch(/starts, process \d+\n\S+ ready, process \d+\n(.*\n)*?\S+ the config was read again/);
  });
});

describe('without a daemon', () => {
  afterEach(expectNoLeaks);

  test('commands that only read or stop start no daemon', async () => {
    await using stage = await daemonStage(servers);
    expect(await stage.run((io) => down({}, io))).toMatchObject({
      exitCode: 0,
      stdout: 'No daemon is running for this config.\n',
    });
    expect(await stage.run((io) => stop({ servers: ['echo'] }, io))).toMatchObject({ exitCode: 0 });
    expect(await stage.run((io) => daemonStatus({ json: true }, io))).toMatchObject({
      exitCode: 1,
      stdout: '{\n  "running": false\n}\n',
    });
    expect(await stage.run((io) => daemonLogs({}, io))).toMatchObject({ exitCode: 0, stdout: '' });
    await expect(stage.run((io) => daemonReload({}, io))).rejects.toMatchObject({ code: 'daemon-not-running' });
    expect(await stage.processes()).toEqual([]);
  });

  test('install prints the file, and writes it only with --yes', async () => {
    await using stage = await daemonStage(servers);
    const options = { platform: 'linux', home: stage.folder };
    const shown = await stage.run((io) => daemonInstall(options, io));
    const path = join(stage.folder, '.config/systemd/user', `mcpx-${stage.place.paths.id}.service`);
    expect(shown.stdout).toContain(`# ${path}\n[Unit]\n`);
    expect(shown.stdout).toContain('ExecStart=/usr/bin/mcpx up --foreground\n');
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
    const written = await stage.run((io) => daemonInstall({ ...options, yes: true }, io));
    expect(written.stdout).toContain(`Wrote ${path}\nNow run:\n  systemctl --user daemon-reload\n`);
    expect(shown.stdout).toBe(`# ${path}\n${await readFile(path, 'utf8')}`);
    await writeFile(join(stage.folder, 'file'), '');
    const nowhere = { ...options, home: join(stage.folder, 'file'), yes: true };
    await expect(stage.run((io) => daemonInstall(nowhere, io))).rejects.toMatchObject({
      message: expect.stringMatching(/\.service cannot be written: (ENOTDIR|EEXIST)\.$/),
    });
    await expect(stage.run((io) => daemonInstall({ ...options, platform: 'win32' }, io))).rejects.toMatchObject({
      exitCode: exitCodes.usage,
    });
  });
});
