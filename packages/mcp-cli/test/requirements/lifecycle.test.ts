import { createClientManager } from '@x/mcp-client-manager';
import { checkCommand } from '@x/mcp-client-manager/diagnose';
import { checkConfig } from '@x/mcp-config-schema';
import { expectNoLeaks, startHttpEcho, testServer } from '@x/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { project } from '../helpers/project.js';
import type { Outcome } from '../helpers/run-mcpx.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';
import { userWorld } from '../helpers/user-world.js';
import { row, sample } from './row.js';
import { type SampleDaemon, sampleDaemon } from './sample-servers.js';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly health: string;
  readonly pid?: number;
  readonly uptimeMs?: number;
  readonly restarts: number;
  readonly healthCheckedAt?: number;
}

/** A check of a tool that the server lacks. */
const sickFields = { health_check: { method: 'tool_call', tool: 'sick.status', timeout_seconds: 1 } };

let daemon: SampleDaemon;
/** Of one server that works and one whose health check fails. */
let sickDaemon: DaemonStage;
let sickUp: Outcome;

beforeAll(async () => {
  daemon = await sampleDaemon();
  expect(await daemon.run('up')).toMatchObject({ exitCode: 0 });
  sickDaemon = await daemonStage([
    { name: 'well', server: 'echo' },
    { name: 'sick', server: 'named-tools', args: ['log'], fields: sickFields },
  ]);
  sickUp = await onStage(sickDaemon, ['up']);
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await sickDaemon[Symbol.asyncDispose]();
  await expectNoLeaks();
});

async function rowOf(name: string, stage: DaemonStage = daemon.stage): Promise<Row> {
  const { stdout } = await onStage(stage, ['status', name, '--json']);
  return (JSON.parse(stdout) as { servers: [Row] }).servers[0];
}

/** Kills the process of a server and waits for the next one. */
async function crash(name: string, stage: DaemonStage): Promise<Row> {
  const { pid = 0 } = await rowOf(name, stage);
  process.kill(pid, 'SIGKILL');
  return until(async () => {
    const next = await rowOf(name, stage);
    return next.state === 'running' && next.pid !== pid && next;
  });
}

test('each operation of the sample is a command', async () => {
  const commands = {
    start_server: 'start',
    stop_server: 'stop',
    health_check: 'health',
    restart_server: 'restart',
    discover_tools: 'discover',
    get_capabilities: 'capabilities',
  } as const;
  const operations = Array.from(
    sample('server-integration/lifecycle.py').matchAll(/mcp_manager\.(\w+)\("([\w-]+)"\)/g),
  );
  expect(operations.map(([, name]) => name)).toEqual(Object.keys(commands));
  for (const [, name, server = ''] of operations) {
    const argv = [commands[name as keyof typeof commands], server];
    if (name === 'health_check') await daemon.run('start', server); // stopped just before
    expect((await daemon.run(...argv)).exitCode, argv.join(' ')).toBe(0);
  }
});

row(49, async () => {
  const logged = await until(async () => {
    const { stdout } = await daemon.run('daemon', 'logs');
    return /git/.test(stdout) && stdout;
  });
  expect(logged).toMatch(/^\d{4}-\S+Z .*\bgit\b/m);
});

row(107, async () => {
  const { pid } = await rowOf('git');
  expect((await daemon.run('start', 'git')).stdout).toBe('✓ git is up\n');
  expect((await rowOf('git')).pid).toBe(pid);
});

row(108, async () => {
  await using manager = createClientManager({
    servers: {
      mute: { ...testServer('never-initializes'), limits: { startupTimeoutMs: 1_000 } },
      echo: testServer('echo'),
    },
  });
  await expect(manager.server('mute').start()).rejects.toMatchObject({ code: 'start-failed' });
  await manager.server('echo').start();
  expect(manager.server('echo')).toMatchObject({ state: 'running', hasListed: true });
});

row(109, async () => {
  expect(sickUp.exitCode).toBe(4);
  expect(sickUp.stdout + sickUp.stderr).toMatch(/✗ sick .*status/);
  expect(sickUp.stdout).toContain('✓ well is up');
  expect((await rowOf('sick', sickDaemon)).state).not.toBe('running');
});

row(110, async () => {
  await using manager = createClientManager({
    servers: { dead: testServer('exits-at-once', '--stderr', 'last words') },
  });
  await expect(manager.server('dead').start()).rejects.toMatchObject({
    code: 'start-failed',
    stderrTail: ['last words'],
  });
});

const processFields = Array.from(sample('server-integration/process-fields.py').matchAll(/^ {4}(\w+): /gm)).map(
  ([, field]) => field,
);

row(111, async () => {
  expect(processFields).toEqual(expect.arrayContaining(['name', 'pid', 'started_at']));
  expect(await rowOf('git')).toMatchObject({
    name: 'git',
    pid: expect.any(Number),
    uptimeMs: expect.any(Number),
  });
});

row(112, async () => {
  expect(processFields).toEqual(expect.arrayContaining(['last_health_check', 'health_status']));
  await daemon.run('health', 'git');
  expect(await rowOf('git')).toMatchObject({ health: 'healthy', healthCheckedAt: expect.any(Number) });
});

row(114, async () => {
  const stubborn = { ...testServer('ignores-sigterm'), limits: { shutdownTimeoutMs: 30_000 } };
  await using manager = createClientManager({ servers: { usual: stubborn, forced: stubborn } });
  await manager.start();
  const usual = manager
    .server('usual')
    .stop()
    .then(() => 'usual');
  const forced = manager
    .server('forced')
    .stop({ force: true })
    .then(() => 'forced');
  expect(await Promise.race([usual, forced])).toBe('forced');
  await manager.server('usual').stop({ force: true });
  await usual;
});

row(115, async () => {
  await daemon.run('stop', 'code-search');
  expect(await daemon.run('stop', 'code-search')).toMatchObject({
    exitCode: 0,
    stdout: '✓ code-search is stopped\n',
  });
});

row(116, async () => {
  const { pid } = await rowOf('git');
  expect((await daemon.run('restart', 'git')).stdout).toBe('✓ git is up again\n');
  expect((await rowOf('git')).pid).not.toBe(pid);
});

row(117, async () => {
  await daemon.run('stop', 'code-search');
  expect((await daemon.run('health', 'code-search')).exitCode).toBe(1);
});

row(118, async () => {
  await using manager = createClientManager({
    servers: { echo: { ...testServer('echo'), restart: { onFailure: false } } },
  });
  const server = manager.server('echo');
  await server.start();
  expect(await server.checkHealth()).toBe(true);
  const failed = new Promise<void>((resolve) =>
    manager.events.on('server-state', ({ state }) => state.phase === 'failed' && resolve()),
  );
  await server.callTool('exit', { code: 3 }).catch(() => undefined);
  await failed;
  expect(await server.checkHealth()).toBe(false);
});

row(119, async () => {
  const { exitCode, stdout } = await onStage(sickDaemon, ['health', 'sick']);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^sick .*status/m);
  const asJson = await onStage(sickDaemon, ['status', 'sick', '--json']);
  expect(JSON.parse(asJson.stdout).servers[0].lastError).toMatch(/status/);
});

row(121, async () => {
  await crash('well', sickDaemon);
  const linesOf = (name: string, text: string) => text.split('\n').filter((line) => line.includes(name));
  const log = await until(async () => {
    const { stdout } = await onStage(sickDaemon, ['daemon', 'logs']);
    return linesOf('well', stdout).length >= 3 && stdout; // start, crash, next start
  });
  expect(linesOf('well', log).join('\n')).toMatch(/SIGKILL/);
  expect(linesOf('sick', log).join('\n')).toMatch(/status/);
  const events = await onStage(sickDaemon, ['logs', '--events']);
  expect(linesOf('well', events.stdout).length).toBeGreaterThanOrEqual(3);
});

row(122, async () => {
  expect(sample('server-integration/lifecycle.py')).toContain('["filesystem.read", ');
  const { stdout } = await daemon.run('discover', 'filesystem', '--json');
  const { tools } = JSON.parse(stdout) as { tools: { name: string; inputSchema: object }[] };
  expect(tools.find(({ name }) => name === 'read_file')?.inputSchema).toMatchObject({ type: 'object' });
});

row(123, async () => {
  await daemon.run('stop', 'code-search');
  expect(await daemon.run('discover', 'code-search', '--refresh')).toMatchObject({ exitCode: 0 });
  await daemon.run('stop', 'code-search');
});

row(124, async () => {
  expect(sample('server-integration/lifecycle.py')).toContain('{"tools": [...], "resources": [...], "prompts": [...]}');
  const { stdout } = await daemon.run('capabilities', 'git', '--json');
  expect(JSON.parse(stdout).capabilities).toEqual({ tools: { listChanged: true } });
  expect((await daemon.run('prompts', 'git', '--json')).exitCode).toBe(0);
});

row(125, async () => {
  const { exitCode, stderr } = await daemon.run('start', 'gti');
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/No server is named "gti".*Did you mean "git"\?/s);
});

row(126, async () => {
  const { restarts } = await rowOf('git');
  expect((await crash('git', daemon.stage)).restarts).toBe(restarts + 1);
});

row(127, async () => {
  const { stdout } = await onStage(sickDaemon, ['call', 'well.echo', 'text=still here']);
  expect(stdout).toBe('still here\n');
});

row(128, async () => {
  await using empty = await project({});
  const check = await checkCommand({ command: 'npx', environment: { PATH: empty.folder } });
  expect(check).toMatchObject({ status: 'command-not-found', hint: expect.stringContaining('npx') });
});

row(129, async () => {
  await using manager = createClientManager({ servers: { echo: testServer('echo') } });
  expect(manager.server('echo').status.pid).toBeUndefined();
  await manager.callTool('echo', 'echo', { text: 'hi' });
  expect(manager.server('echo').status.pid).toEqual(expect.any(Number));
});

row(130, () => {
  const servers = (fields: object) =>
    checkConfig({ text: JSON.stringify({ mcp_servers: { s: { command: 'x', ...fields } } }) }).config?.servers;
  expect(servers({})?.[0]?.limits.idleStopMs).toBeUndefined();
  expect(servers({ idle_stop_seconds: 600 })?.[0]?.limits.idleStopMs).toBe(600_000);
});

row(131, async () => {
  await using running = await startHttpEcho();
  await using manager = createClientManager({ servers: { running: { url: running.url } } });
  await manager.server('running').stop();
  expect(() => process.kill(running.pid, 0)).not.toThrow(); // it is not ours to end
});

row(132, async () => {
  await using remote = await startHttpEcho();
  await using manager = createClientManager({ servers: { http: { url: remote.url }, stdio: testServer('echo') } });
  for (const server of ['http', 'stdio']) {
    const { content } = await manager.callTool(server, 'echo', { text: server });
    expect(content).toMatchObject([{ text: server }]);
  }
});

row(133, async () => {
  await using user = await userWorld();
  expect((await user.run(['init', '--yes'])).exitCode).toBe(0);
  expect((await user.run(['validate'])).exitCode).toBe(0);
});

row(134, async () => {
  const { stdout } = await daemon.run('status', '--json');
  const names = (JSON.parse(stdout) as { servers: Row[] }).servers.map(({ name }) => name);
  const { config } = checkConfig({ text: sample('server-integration/mcp_servers.yaml') });
  expect(names).toEqual(config?.servers.map(({ name }) => name));
});

row(147, async () => {
  const { exitCode, stdout, stderr } = await onStage(sickDaemon, ['start', 'sick']);
  expect(exitCode).toBe(4);
  expect(stdout + stderr).toMatch(/✗ sick .*status/);
  expect((await daemon.run('start', 'git')).exitCode).toBe(0);
});
