import { McpServer } from '@modelcontextprotocol/server';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ClientManager } from '../../src/manager.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, managerWith, serverSpec, stateOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

/** A start that lasts longer gives its slot back, in milliseconds; counted a little later than it was taken. */
const slotMs = 2_900;

/**
 * The most servers that were starting at one time, from now on: of those that still hold a slot, and of all. On a machine
 * that is busy with other things the two differ.
 */
function watchStarts(manager: ClientManager): { most: number; mostOfAll: number } {
  const starting = new Map<string, number>();
  const watch = { most: 0, mostOfAll: 0 };
  manager.events.on('server-state', ({ server, state }) => {
    if (state.phase !== 'starting') starting.delete(server);
    else if (state.step === 'spawn') starting.set(server, performance.now());
    const now = performance.now();
    const holding = Array.from(starting.values()).filter((since) => now - since < slotMs).length;
    watch.most = Math.max(watch.most, holding);
    watch.mostOfAll = Math.max(watch.mostOfAll, starting.size);
  });
  return watch;
}

function fleet(count: number, extras: Parameters<typeof serverSpec>[2] = {}) {
  return Array.from({ length: count }, (_, index) => ({ ...serverSpec('echo', [], extras), name: `echo ${index}` }));
}

test('a hundred servers that crash together come back a few at a time, each in its own time', {
  timeout: 120_000,
}, async () => {
  await using manager = managerWith({ startConcurrency: 4 }, ...fleet(100, { limits: { startupTimeoutMs: 60_000 } }));
  const watch = watchStarts(manager);
  await manager.start();
  expect(watch.most).toBe(4);
  watch.most = 0;
  const delays = new Set<number>();
  let back = 0;
  const allBack = new Promise<void>((resolve) => {
    manager.events.on('server-state', ({ state }) => {
      if (state.phase === 'backoff') delays.add(state.delayMs);
      if (state.phase !== 'ready' || state.generation !== 2) return;
      back += 1;
      if (back === 100) resolve();
    });
  });
  for (const { pid } of manager.status()) process.kill(pid as number, 'SIGKILL');
  await allBack;
  expect(watch.most).toBeLessThanOrEqual(4);
  expect(watch.mostOfAll).toBeLessThanOrEqual(16);
  expect(delays.size).toBeGreaterThan(30);
  expect(manager.status().map(({ restarts }) => restarts)).toEqual(Array(100).fill(1));
});

test('servers of a higher priority start first and stop last', async () => {
  const [low, high, middle] = [-1, 5, 0].map((priority) => ({
    ...serverSpec('echo', [], { priority }),
    name: `priority ${priority}`,
  }));
  const specs = [low, high, middle].map((spec) => spec as NonNullable<typeof spec>);
  await using manager = managerWith({ startConcurrency: 1 }, ...specs);
  const seen: string[] = [];
  manager.events.on('server-state', ({ server, state }) => {
    if (state.phase === 'ready' || state.phase === 'idle' || state.phase === 'closed')
      seen.push(`${state.phase} ${server}`);
  });
  const outcomes = await manager.start();
  expect(outcomes.map(({ server }) => server)).toEqual(specs.map(({ name }) => name));
  await manager.stop();
  await manager.close();
  const upwards = ['priority -1', 'priority 0', 'priority 5'];
  expect(seen).toEqual([
    ...upwards.toReversed().map((name) => `ready ${name}`),
    ...upwards.map((name) => `idle ${name}`),
    ...upwards.map((name) => `closed ${name}`),
  ]);
});

test('starts an awaited server before others', async () => {
  const eager = fleet(6, { eager: true });
  await using manager = managerWith({ startConcurrency: 1 }, ...eager, serverSpec('slow'));
  const order: string[] = [];
  manager.events.on('server-state', ({ server, state }) => {
    if (state.phase === 'starting' && state.step === 'spawn') order.push(server);
  });
  await manager.callTool('slow', 'pid');
  expect(order.indexOf('slow')).toBeLessThan(3);
});

test('a server without a process starts before the process that started first is ready', async () => {
  const server = new McpServer({ name: 'here', version: '1.0.0' });
  // Its start fails before it would give its slot back.
  const silent = serverSpec('never-initializes', [], { limits: { startupTimeoutMs: 2_500 } });
  await using manager = managerWith({}, silent, { name: 'here', server });
  void manager.start();
  await stateOf(manager, 'here', 'ready');
  expect(manager.server('never-initializes').lifecycle).toMatchObject({ phase: 'starting', step: 'handshake' });
});

test('a server without a process that a caller waits for starts before a process that is not waited for is ready', async () => {
  const server = new McpServer({ name: 'here', version: '1.0.0' });
  const silent = serverSpec('never-initializes', [], { eager: true, limits: { startupTimeoutMs: 2_500 } });
  await using manager = managerWith({}, silent, { name: 'here', server });
  await stateOf(manager, 'never-initializes', 'starting');
  const starting = manager.server('here').start();
  await new Promise(setImmediate);
  const { phase } = manager.server('here').lifecycle;
  await starting;
  expect(phase).not.toBe('queued');
});

test('remembered tools are known before the first start, and replaced by current ones', async () => {
  const stateDirectory = await temporaryDirectory();
  const first = managerWith({ stateDirectory }, serverSpec('echo'));
  await first.start();
  await first.close();
  await using manager = managerWith({ stateDirectory }, serverSpec('echo', [], { deniedTools: ['fail'] }));
  const server = manager.server('echo');
  expect(server.status).toMatchObject({ phase: 'idle', tools: 7, cachedAt: expect.any(Number) });
  expect(server.listTools().map(({ name }) => name)).not.toContain('fail');
  await server.start();
  expect(server.status).toMatchObject({ phase: 'ready', tools: 7, cachedAt: undefined });
});

test('an excluded tool is unknown and starts nothing', async () => {
  await using manager = managerWith({}, serverSpec('echo', [], { allowedTools: ['echo', 'p*'], deniedTools: ['pid'] }));
  const server = manager.server('echo');
  for (const tool of ['pid', 'add']) {
    expect(await failureOf(server.callTool(tool))).toMatchObject({
      code: 'unknown-tool',
      server: 'echo',
      message: `Server "echo" offers no tool named "${tool}"`,
    });
  }
  expect(server.phase).toBe('idle');
  expect((await server.discoverTools()).map(({ name }) => name)).toEqual(['echo']);
  expect(server.listTools().map(({ name }) => name)).toEqual(['echo']);
});

test('instructions are known while the server is down, and in the next process', async () => {
  const stateDirectory = await temporaryDirectory();
  const say = (text: string, extras = {}) => serverSpec('named-tools', ['--instructions', text, 'a'], extras);
  const first = managerWith({ stateDirectory }, say('Ask first.'));
  expect(first.server('named-tools').instructions).toBeUndefined();
  await first.start();
  await first.server('named-tools').stop();
  expect(first.server('named-tools').instructions).toBe('Ask first.');
  await first.close();
  await using manager = managerWith({ stateDirectory }, say('Ask first.'));
  expect(manager.server('named-tools')).toMatchObject({ phase: 'idle', instructions: 'Ask first.' });
  await manager.apply({ servers: [say('Ask twice.')] });
  expect(manager.server('named-tools').instructions).toBeUndefined();
  await manager.server('named-tools').start();
  expect(manager.server('named-tools').instructions).toBe('Ask twice.');
});
