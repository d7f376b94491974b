import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClientManager } from '@x/mcp-client-manager';
import { parseConfig } from '@x/mcp-config-schema';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, beforeAll, expect } from 'vitest';
import { project } from '../helpers/project.js';
import { row, sample } from './row.js';
import { codeSearchTools, gitTools, type SampleDaemon, sampleDaemon } from './sample-servers.js';

let daemon: SampleDaemon;

beforeAll(async () => {
  daemon = await sampleDaemon();
  expect(await daemon.run('up')).toMatchObject({ exitCode: 0 });
  await daemon.run('health');
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const status = async () => (await daemon.run('status')).stdout;
const lineOf = (name: string, table: string) => table.split('\n').find((line) => line.startsWith(`${name} `));

/** Servers of the sample’s table, each with its state and number of tools. */
const drawn = new Map(
  Array.from(
    sample('server-integration/dashboard.txt').matchAll(/([a-z-]+) +\S+ +(Running|Manual|Stopped) +(\d+|-)/g),
    ([, name = '', state = '', tools = '']) => [name, { state, tools }],
  ),
);

const statusFields = Array.from(sample('server-integration/status-fields.py').matchAll(/^ +"(\w+)":/gm)).map(
  ([, field]) => field,
);

row(135, async () => {
  const [title = ''] = /MCP Server Status/.exec(sample('server-integration/dashboard.txt')) ?? [];
  expect(await status()).not.toContain(title);
});

row(136, async () => {
  expect(drawn.get('git')).toEqual({ state: 'Running', tools: String(gitTools.length) });
  expect(lineOf('git', await status())).toMatch(new RegExp(`● running +✓ +${gitTools.length} `));
});

row(137, async () => {
  expect(drawn.get('code-search')).toEqual({ state: 'Manual', tools: String(codeSearchTools.length) });
  await daemon.run('discover', 'code-search');
  await daemon.run('stop', 'code-search');
  expect(lineOf('code-search', await status())).toMatch(new RegExp(`○ manual +- +${codeSearchTools.length} `));
});

row(138, async () => {
  expect(drawn.get('github')).toEqual({ state: 'Stopped', tools: '-' });
  await daemon.run('stop', 'filesystem');
  expect(lineOf('filesystem', await status())).toMatch(/○ stopped +- +\d+ /);
  await daemon.run('start', 'filesystem');
});

row(139, async () => {
  const [head = ''] = (await status()).split('\n');
  expect(head.split(/ {2,}/).slice(0, 4)).toEqual(['Server', 'State', 'Health', 'Tools']);
});

const report = async () => JSON.parse((await daemon.run('status', '--json')).stdout);

row(140, async () => {
  const ours = {
    name: 'name',
    state: 'state',
    health: 'health',
    pid: 'pid',
    uptime_seconds: 'uptimeMs',
    tools_count: 'tools',
  };
  expect(statusFields).toEqual(expect.arrayContaining(Object.keys(ours)));
  const git = (await report()).servers.find(({ name }: { name: string }) => name === 'git');
  expect(Object.keys(git)).toEqual(expect.arrayContaining(Object.values(ours)));
});

row(141, async () => {
  expect(statusFields).toContain('auto_start');
  expect((await report()).servers).toMatchObject([{ autoStart: true }, { autoStart: true }, { autoStart: false }]);
});

row(142, async () => {
  expect(statusFields).toEqual(expect.arrayContaining(['total_running', 'total_healthy']));
  await daemon.run('stop', 'code-search');
  await daemon.run('health');
  expect(await report()).toMatchObject({ totalRunning: 2, totalHealthy: 2 });
});

row(144, async () => expect((await daemon.run('status')).exitCode).toBe(0));

row(145, async () => {
  const { exitCode, stderr } = await daemon.run('start', 'nothing');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('No server is named "nothing".');
});

row(146, async () => {
  await daemon.run('stop', 'code-search');
  const { stderr } = await daemon.run('start', 'code-search');
  expect(stderr).toMatch(/✓ code-search spawned process \d+/);
});

row(148, async () => {
  expect((await daemon.run('stop', 'code-search')).stdout).toBe('✓ code-search is stopped\n');
});

row(149, async () => {
  expect((await daemon.run('discover', 'git')).stdout).toMatch(/^git offers 8 tools\n/);
});

row(150, async () => {
  const { stdout } = await daemon.run('discover', 'git');
  const names = stdout
    .trimEnd()
    .split('\n')
    .slice(2) // below the number of tools and the names of columns
    .map((line) => line.split(' ')[0]);
  expect(names).toEqual(gitTools.toSorted());
});

row(151, async () => {
  await daemon.run('discover', 'code-search');
  const { stdout } = await daemon.run('search', '*', '--limit', '100', '--json');
  const { tools } = JSON.parse(stdout) as { tools: { server?: string }[] };
  const servers = new Set(tools.map(({ server }) => server));
  expect(servers).toEqual(new Set([undefined, 'filesystem', 'git', 'code-search']));
});

row(152, async () => {
  // The test of the sample, with its configuration.
  const text = sample('server-integration/test-config.py');
  const field = (name: string) => new RegExp(`${name}="?([^",)]+)"?`).exec(text)?.[1] ?? '';
  const server = {
    package: field('package'),
    command: field('command'),
    auto_start: field('auto_start') === 'True',
    health_check: { method: field('method') },
  };
  expect(server).toMatchObject({ command: 'node test-server.js', auto_start: false, health_check: { method: 'ping' } });
  const program = pathToFileURL(testServer('echo').args[0] ?? '').href;
  await using here = await project({});
  await writeFile(join(here.folder, 'test-server.js'), `import(${JSON.stringify(program)});\n`);
  const config = parseConfig({ text: JSON.stringify({ mcp_servers: { 'test-server': server } }) });
  await using manager = createClientManager({ servers: config.servers.map((each) => ({ ...each, cwd: here.folder })) });

  const managed = manager.server('test-server');
  await managed.start();
  expect(managed.status).toMatchObject({ name: 'test-server', pid: expect.any(Number) });
  expect(await managed.checkHealth()).toBe(true);
  expect((await managed.discoverTools()).length).toBeGreaterThan(0);
  await managed.stop();
  expect(managed.status).toMatchObject({ state: 'stopped', pid: undefined });
});
