import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@x/mcp-cli';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { type Config, checkRequirements } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import {
  createRegistry,
  isRegistryError,
  type Registry,
  type SearchResult,
  type ToolCallResult,
} from '@x/mcp-registry';
import { dim, fact, heading, isColoured, line, ok } from './print.js';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** The whole idea on three real servers, in seven steps. Rejects when a step does not show what it promises. */
export async function tellStory(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-quickstart-'));
  try {
    await writeFile(join(folder, 'hello.txt'), 'Hello from a real file.\n');
    const environment = { ...process.env, QUICKSTART_FOLDER: folder };

    const config = await loadConfig({ cwd: projectFolder, env: environment });
    showConfig(config);

    await using manager = createClientManager(config);
    await using registry = createRegistry({ roles: config.roles });
    for (const server of manager.servers()) registry.attach(server);

    await startServers(manager);
    await showHealthOfCli(environment);
    await searchTools(registry);
    await registerOwnTool(registry);
    await callAndRefuse(registry, folder);
    await killAndRecover(manager, registry, folder);
    await stopAndProve(manager);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function showConfig(config: Config): void {
  heading(1, 'The configuration, checked, and which servers the app needs');
  line(`${config.files.length} files, ${config.servers.length} servers, ${config.roles.length} roles`);
  const report = checkRequirements(config, {});
  for (const tool of report.tools) {
    ok(`${tool.tool} is ${tool.readiness}`);
    for (const tier of ['required', 'recommended', 'optional'] as const) {
      for (const { server, status, installHint } of tool[tier]) {
        fact(tier, `${server}: ${status}${installHint === undefined ? '' : ` (${installHint})`}`);
      }
    }
  }
  assert.equal(report.readiness, 'configured');
}

async function startServers(manager: ClientManager): Promise<void> {
  heading(2, 'The servers start: spawn, handshake, tools');
  using _progress = manager.events.on('server-state', ({ server, previous, state }) => {
    if (state.phase === 'starting' && previous.phase === 'starting') fact(server, `${previous.step} done`);
    if (state.phase === 'ready') ok(`${server} is ready with ${manager.server(server).status.tools} tools`);
  });
  const outcomes = await manager.start();
  assert.ok(outcomes.every(({ status }) => status === 'started'));
}

async function showHealthOfCli(environment: NodeJS.ProcessEnv): Promise<void> {
  line(dim('$ MCPX_TRUST=1 mcpx health')); // agrees to what the config of this example runs, and keeps nothing
  const exitCode = await run(['health', '--config', projectFolder], {
    stdin: process.stdin,
    stdout: { write: (text) => process.stdout.write(text), isTTY: isColoured },
    stderr: { write: () => true }, // its steps are the ones above
    env: { ...environment, MCPX_TRUST: '1' },
    cwd: projectFolder,
    signal: new AbortController().signal,
  });
  assert.equal(exitCode, 0);
}

async function searchTools(registry: Registry): Promise<void> {
  heading(3, 'search_mcp_tools: by words, by pattern, and finding itself');
  const byWords = await registry.search({ query: 'read a file', limit: 3 });
  showHits('"read a file"', byWords);
  assert.ok(byWords.tools.some(({ tool }) => tool === 'read_text_file'));

  const byPattern = await registry.search({ query: '^(create|delete)_', useRegex: true, limit: 3 });
  showHits('/^(create|delete)_/', byPattern);
  assert.equal(byPattern.mode, 'regex');

  const itself = await registry.search({ query: 'search tools', limit: 1 });
  showHits('"search tools"', itself);
  assert.equal(itself.tools[0]?.name, 'search_mcp_tools');
}

function showHits(query: string, { total, returned, tools }: SearchResult): void {
  ok(`${query}: total ${total}, returned ${returned}`);
  for (const { name, description = '' } of tools) fact(name, description.split('\n')[0] as string, { width: 38 });
}

async function registerOwnTool(registry: Registry): Promise<void> {
  heading(4, "The app's own tool, next to the servers' tools");
  registry.register(
    { name: 'project_facts', description: 'Tells the name and the purpose of this project.' },
    async () => 'quickstart: shows MCP servers being checked, started, searched, called and stopped',
  );
  const found = await registry.search({ query: 'purpose of the project', limit: 1 });
  showHits('"purpose of the project"', found);
  assert.equal(found.tools[0]?.name, 'project_facts');
}

async function callAndRefuse(registry: Registry, folder: string): Promise<void> {
  heading(5, 'A call through the router, and a role that may not write');
  const path = join(folder, 'hello.txt');
  const reviewer = registry.view({ role: 'review' });
  const read = await reviewer.call('mcp__filesystem__read_text_file', { path });
  ok(`review reads: ${JSON.stringify(textOf(read))}`);

  const write = { path, content: 'overwritten' };
  await assert.rejects(reviewer.call('mcp__filesystem__write_file', write), (error) => {
    ok(`review writes: refused (${isRegistryError(error) ? error.code : 'unexpected'})`);
    return isRegistryError(error) && error.code === 'unknown-tool';
  });

  const implementer = registry.view({ role: 'implementation' });
  const written = await implementer.call('mcp__filesystem__write_file', {
    path,
    content: 'Changed by implementation.\n',
  });
  ok(`implementation writes: ${JSON.stringify(textOf(written)).replace(folder, '…')}`);
}

async function killAndRecover(manager: ClientManager, registry: Registry, folder: string): Promise<void> {
  heading(6, "A server's process is killed from outside");
  const server = manager.server('filesystem');
  const before = server.status;
  const { promise: hasFallen, resolve: fallen } = deferred();
  using _states = manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'backoff') fallen();
  });
  ok(`kill -9 ${before.pid}`);
  process.kill(before.pid as number, 'SIGKILL');
  await hasFallen;
  fact('meanwhile', `it is ${server.state}, and its ${server.listTools().length} tools stay listed: calls wait`);
  const again = await registry.call('mcp__filesystem__read_text_file', { path: join(folder, 'hello.txt') });
  const { pid } = server.status;
  assert.notEqual(pid, before.pid);
  ok(`process ${pid} answers the call: ${JSON.stringify(textOf(again))}`);
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function stopAndProve(manager: ClientManager): Promise<void> {
  heading(7, 'Everything stops, and nothing is left');
  const pids = manager.status().flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  await manager.close();
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  ok(`processes ${pids.join(', ')}: gone`);
}

function textOf({ content }: ToolCallResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
