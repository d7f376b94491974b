import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { connectionStatusOf } from '@x/mcp-client-manager/diagnose';
import { checkConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { expectNoLeaks, testServer, textOf } from '@x/test-servers';
import { afterAll, beforeAll, expect } from 'vitest';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { connectStdio } from '../helpers/stdio-client.js';
import { row, sample } from './row.js';
import { pathWithNpx } from './sample-servers.js';

/** The values in the comments of the sample. */
const example = Object.fromEntries(
  Array.from(sample('client-service/mcp-server-config.ts.txt').matchAll(/^ {2}(\w+): .*\/\/ e\.g\. (.+)$/gm)).map(
    ([, field = '', json = '']) => [field, JSON.parse(json)],
  ),
) as { id: string; command: string; args: string[] };

const git = { ...testServer('named-tools', '--label', 'git', 'log'), autoStart: true };
const notes = { ...testServer('named-tools', '--label', 'notes', 'log'), autoStart: true };
const echo = { ...testServer('echo'), env: { GREETING: 'hello' }, autoStart: true };

let here: Awaited<ReturnType<typeof project>>;
let manager: ClientManager;
let registry: Registry;

beforeAll(async () => {
  here = await project({});
  const environment = { ...process.env, PATH: await pathWithNpx(here.folder) };
  const { id, command, args } = example;
  manager = createClientManager({ mcpServers: { [id]: { command, args }, git, notes, echo } }, { environment });
  registry = createRegistry();
  for (const server of manager.servers()) registry.attach(server);
  registry.register({ name: 'read_file', description: 'Reads a file of the app' }, () => 'native');
  await manager.start();
});

afterAll(async () => {
  await registry.close();
  await manager.close();
  await here[Symbol.asyncDispose]();
  await expectNoLeaks();
});

row(26, async () => {
  const pids = [await manager.callTool('echo', 'pid'), await manager.callTool('echo', 'pid')].map(textOf);
  expect(pids[0]).toBe(pids[1]);
});

row(27, () => expect(manager.server(example.id).name).toBe('fs-server'));

row(28, () => {
  const pids = manager.status().map(({ pid }) => pid);
  expect(new Set(pids).size).toBe(4);
  expect(pids).not.toContain(undefined);
});

row(29, () => expect(manager.status().map(({ transport }) => transport)).toEqual(Array(4).fill('stdio')));

row(30, () => expect(manager.server('git').listTools()).toMatchObject([{ name: 'log' }]));

row(31, async () => expect(textOf(await manager.callTool('git', 'log'))).toBe('git ran log'));

row(32, async () => {
  await using other = createClientManager({ servers: { git, notes } });
  expect(other.status().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  await other.callTool('git', 'log');
  expect(other.status().map(({ state }) => state)).toEqual(['running', 'stopped']);
  await other.start();
  expect(other.status().map(({ state }) => state)).toEqual(['running', 'running']);
});

row(33, () => {
  const servers = new Set(registry.list().map(({ server }) => server));
  expect(servers).toEqual(new Set([undefined, 'fs-server', 'git', 'notes', 'echo']));
});

row(34, async () => expect(textOf(await registry.call('mcp__notes__log'))).toBe('notes ran log'));

row(35, () => {
  const names = registry.list().flatMap(({ tool, name }) => (tool === 'log' ? [name] : []));
  expect(names).toEqual(['mcp__git__log', 'mcp__notes__log']);
});

row(36, async () => {
  const user = await realpath(here.folder);
  const { id, ...server } = example;
  await writeFile(join(user, 'mcp-servers.json'), JSON.stringify({ mcpServers: { [id]: server } }));
  const config = await loadConfig({ layers: ['user'], userDirectory: user });
  expect(config.servers).toMatchObject([{ name: 'fs-server', command: 'npx' }]);
});

row(37, () => {
  const { id, ...server } = example;
  const text = JSON.stringify({ mcpServers: { [id]: example } });
  expect(checkConfig({ file: 'mcp-servers.json', text })).toMatchObject({
    issues: [],
    config: { servers: [{ name: id }] },
  });
  const named = createClientManager({ servers: [{ name: id, ...server }] });
  expect(named.server(id).name).toBe(id);
  expect(() => createClientManager({ servers: [example as never] })).toThrow(/"name".*"id"/);
});

row(38, () => {
  expect(example.command).toBe('npx');
  expect(manager.server(example.id).state).toBe('running');
});

row(39, async () => {
  const { tools } = await registry.search({ query: 'list a directory', server: example.id });
  expect(tools.map(({ tool }) => tool)).toContain('list_directory'); // the args name the package
});

row(40, async () => {
  const environment = JSON.parse(String(textOf(await manager.callTool('echo', 'environment'))));
  expect(environment).toMatchObject({ GREETING: 'hello' });
});

row(41, () => {
  expect(sample('client-service/store-fields.txt')).toContain('`mcpServers`: `Record<string, McpServerConfig>`');
  const { id, ...server } = example;
  const names = (specs: Parameters<typeof createClientManager>[0]) =>
    createClientManager(specs)
      .servers()
      .map(({ name }) => name);
  expect(names({ mcpServers: { [id]: server } })).toEqual([id]);
  expect(names({ servers: { [id]: server } })).toEqual([id]);
});

row(42, async () => {
  await using other = createClientManager({
    servers: { git, dead: { ...testServer('exits-at-once'), restart: { maxAttempts: 1 } } },
  });
  const words = sample('client-service/store-fields.txt')
    .match(/'(\w+)'/g)
    ?.map((word) => word.slice(1, -1));
  const seen = new Set<string>();
  other.events.on('server-state', ({ state }) => void seen.add(connectionStatusOf(state)));
  expect(other.servers().map(({ lifecycle }) => connectionStatusOf(lifecycle))).toEqual([
    'disconnected',
    'disconnected',
  ]);
  await other.start();
  const parked = new Promise<void>((resolve) =>
    other.events.on('server-state', ({ state }) => state.phase === 'parked' && resolve()),
  );
  if (other.server('dead').phase !== 'parked') await parked;
  expect(Array.from(seen).toSorted()).toEqual(words?.toSorted());
});

row(44, async () => {
  expect(sample('client-service/methods.txt')).toContain('connect(config: McpServerConfig)');
  await using other = createClientManager({ servers: { git } });
  await other.apply({ servers: { git, notes } });
  await other.server('notes').start();
  expect(textOf(await other.callTool('notes', 'log'))).toBe('notes ran log');
});

row(45, () => {
  const tools = registry.list();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['mcp__git__log', 'mcp__echo__echo']));
  expect(tools.every(({ inputSchema }) => typeof inputSchema === 'object')).toBe(true);
});

row(46, async () => {
  expect(textOf(await registry.call('mcp__echo__echo', { text: 'by its public name' }))).toBe('by its public name');
});

row(47, async () => {
  expect(registry.list().map(({ name }) => name)).toContain('read_file');
  expect(textOf(await registry.call('read_file'))).toBe('native');
});

row(48, async () => {
  await using served = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  for (const [args, name] of [
    [[], 'mcp__files__echo'],
    [['--names', 'as-is'], 'echo'],
  ] as const) {
    await using connection = await connectStdio(served.folder, args);
    const { tools } = await connection.client.listTools();
    expect(tools.map((tool) => tool.name)).toContain(name);
  }
});

row(50, async () => {
  await using noisy = createClientManager({
    servers: { stderr: testServer('floods-stderr'), stdout: testServer('speaks-garbage') },
  });
  for (const server of ['stderr', 'stdout']) {
    expect(textOf(await noisy.callTool(server, 'echo', { text: 'hi' }))).toBe('hi');
  }
  expect(noisy.server('stdout').status.junkLines).toBeGreaterThan(0);
});

row(51, async () => {
  await using stored = await project({
    'mcp_servers.yaml': serversFile([{ name: 'manual', server: 'echo', fields: { auto_start: false } }]),
  });
  const options = { cwd: stored.folder, stateDirectory: join(stored.folder, 'state') };
  await runMcpx(['discover', 'manual'], options);
  const { stdout, stderr } = await runMcpx(['search', 'echo', '--json'], options);
  expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'mcp__manual__echo' }], notSearched: [] });
  expect(stderr).toBe('');
});
