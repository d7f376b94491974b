import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientManager, HealthCheckSpec, Launch, ServerSpec } from '@x/mcp-client-manager';
import { fakeServer, installFakeClock } from '@x/mcp-client-manager/testing';
import { loadConfig } from '@x/mcp-config-schema/load';
import { listenToConsole } from './stage/console.js';
import { officialServer, useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

const folder = openProject({
  'mcp_servers.yaml': `mcp_servers:\n  memory:\n    command: npx -y @modelcontextprotocol/server-memory\n    auto_start: true\n`,
});
useInstalledServers();
const heard = listenToConsole();
const visit = useAndClose();

// #region supervise
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';

const home = join(homedir(), '.my-app');
await using manager = createClientManager(
  {
    servers: [
      {
        name: 'files',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
        limits: { idleStopMs: 600_000 },
      },
      { name: 'tickets', url: 'https://tickets.example.com/mcp', limits: { maxConcurrentCalls: 4 }, priority: 10 },
    ],
  },
  { stateDirectory: join(home, 'servers'), logDirectory: join(home, 'logs') },
);

for await (const { server, status } of manager.changes()) console.log(server, status?.state, status?.lastError ?? '');
// #endregion supervise

await visit;
for (const line of ['files stopped ', 'tickets stopped ', 'files starting ', 'files running ']) {
  assert.ok(heard.lines.includes(line), `${line} in ${heard.lines}`);
}
assert.ok(existsSync(join(folder, '.my-app/servers')));

/** What goes on elsewhere in the app while its servers are watched. */
async function useAndClose(): Promise<void> {
  while (heard.lines.length < 2) await nextTurn();
  await manager.callTool('files', 'list_directory', { path: '.' });
  while (!heard.lines.includes('files running ')) await nextTurn();
  await manager.close();
}

// #region words
import { connectionStatusOf } from '@x/mcp-client-manager/diagnose';

const mcpConnectionStatus = connectionStatusOf(manager.server('files').lifecycle); // 'disconnected' | 'connecting' | 'connected' | 'error'
// #endregion words

assert.equal(mcpConnectionStatus, 'disconnected', 'closed');

// #region check
import { checkCommand } from '@x/mcp-client-manager/diagnose';

const check = await checkCommand({ command: 'uvx' });
if (check.status !== 'found') console.error(check.status, check.hint);
// #endregion check

const missing = await checkCommand({ command: 'no-such-command-anywhere' });
assert.equal(missing.status, 'command-not-found');

await listAheadOfTheStart();
await applyAnother();
await tellWords();
await checkByCall();
await limitMemory();
await confirmStarts();

async function confirmStarts(): Promise<void> {
  const config = await loadConfig();
  const agreed = new Set<string>();
  const asked: Launch[] = [];
  const keyOf = (launch: Launch): string => JSON.stringify(launch);
  const ask = async (launch: Launch, { signal }: { signal: AbortSignal }): Promise<boolean> => {
    signal.throwIfAborted();
    asked.push(launch);
    return false;
  };
  // #region confirm
  const manager = createClientManager(config, {
    confirmLaunch: async (launch, { signal }) => agreed.has(keyOf(launch)) || (await ask(launch, { signal })),
  });
  // #endregion confirm
  const memory = manager.server('memory');
  await assert.rejects(memory.start(), { code: 'start-failed' });
  assert.equal(memory.state, 'failed');
  agreed.add(keyOf(asked[0] as Launch));
  await memory.start();
  assert.equal(asked.length, 1);
  await manager.close();
}

async function listAheadOfTheStart(): Promise<void> {
  const open = () =>
    createClientManager(
      { servers: [{ name: 'files', ...officialServer('everything') }] },
      { stateDirectory: join(home, 'servers') },
    );
  {
    await using before = open();
    await before.server('files').listResources();
  }
  await using manager = open();
  // #region wake
  const { items, completeness, cachedAt } = await manager.server('files').listResources({ wake: false });
  // #endregion wake
  assert.ok(items.length > 0);
  assert.equal(completeness, 'complete');
  assert.ok(cachedAt);
  assert.equal(manager.server('files').state, 'stopped');
}

async function applyAnother(): Promise<void> {
  await using manager = createClientManager({ servers: [{ name: 'memory', ...officialServer('memory', '--other') }] });
  await manager.server('memory').start();
  // #region apply
  const { restarted, failures } = await manager.apply(await loadConfig());
  // #endregion apply
  assert.deepEqual({ restarted, failures }, { restarted: ['memory'], failures: [] });
}

async function tellWords(): Promise<void> {
  await using manager = createClientManager({ servers: [{ name: 'files', ...officialServer('filesystem', '.') }] });
  assert.equal(connectionStatusOf(manager.server('files').lifecycle), 'disconnected');
  await manager.server('files').start();
  assert.equal(connectionStatusOf(manager.server('files').lifecycle), 'connected');
}

async function checkByCall(): Promise<void> {
  // #region health
  const health: HealthCheckSpec = { method: 'tool_call', tool: 'status', args: { deep: true }, timeoutMs: 5_000 };
  // #endregion health
  await using fake = fakeServer({ tools: [{ name: 'status', answers: ['echo'] }] });
  await using manager = createClientManager({ servers: [{ name: 'files', ...fake.inProcess(), health }] });
  await manager.server('files').start();
  assert.equal(await manager.server('files').checkHealth(), true);
  assert.deepEqual(fake.calls('status')[0]?.arguments, { deep: true });
}

async function limitMemory(): Promise<void> {
  if (process.platform !== 'linux') return;
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'greedy', answers: ['echo'] }] });
  const files = { name: 'files', ...fake.stdio(), limits: { maxMemoryBytes: 16 * 1_048_576 } };
  await using manager = createClientManager({ servers: [files] });
  await manager.server('files').start();
  assert.equal(limited(manager).name, 'files');
  const exceeded = new Promise((resolve) => manager.events.on('memory-exceeded', resolve));
  await clock.advance(30_000);
  await exceeded;
  assert.match(heard.lines.at(-1) ?? '', /^files \d+$/);
}

function limited(manager: ClientManager): ServerSpec {
  // #region memory
  const spec: ServerSpec = { name: 'files', command: 'file-server', limits: { maxMemoryBytes: 512 * 1_048_576 } };
  manager.events.on('memory-exceeded', ({ server, memoryBytes }) => console.error(server, memoryBytes));
  // #endregion memory
  return spec;
}
