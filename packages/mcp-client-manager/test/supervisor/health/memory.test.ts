import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import type { ManagerEvents } from '../../../src/events.js';
import type { ClientManager } from '../../../src/manager.js';
import type { ManagedServer } from '../../../src/servers/managed-server.js';
import { fixtureSpec, isRunning, managerOf, stateOf, textOf } from '../../helpers/servers.js';

afterEach(async () => {
  vi.useRealTimers();
  await expectNoLeaks();
});

const mebibyte = 1_048_576;
const limited = { limits: { maxMemoryBytes: 250 * mebibyte }, health: { intervalMs: 20_000 } };

/**
 * Lets the time go by, and the server answer within it: for a process, which goes in no other time, a minute that is over at
 * once would be one of missed health checks.
 */
async function pass(ms: number, server: ManagedServer, isOver = () => false): Promise<void> {
  for (let passed = 0; passed < ms && !isOver(); passed += 2_000) {
    await vi.advanceTimersByTimeAsync(2_000);
    if (!isOver()) await server.callTool('look', {});
  }
}

/** Real processes and real memory; only the wait for the next look is short. Until a look has found too much. */
async function classify(manager: ClientManager): Promise<ManagerEvents['memory-exceeded']> {
  let found: ManagerEvents['memory-exceeded'] | undefined;
  manager.events.on('memory-exceeded', (event) => {
    found = event;
    vi.useRealTimers();
  });
  await pass(60_000, manager.server('fixture'), () => found !== undefined);
  if (!found) throw new Error('Three looks have found nothing');
  return found;
}

// Other systems do not report the memory of a process.
const onLinux = test.runIf(process.platform === 'linux');

onLinux('reports and restarts a server that uses too much memory, with its child processes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using manager = managerOf(fixtureSpec('grows.mjs', ['300'], limited));
  const server = manager.server('fixture');
  await server.start();
  const { pid } = server.status;
  await pass(60_000, server);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 1 }); // it is not too large yet
  const child = Number(textOf(await server.callTool('grow', {})));
  const exceeded = await classify(manager);
  expect(exceeded).toEqual({ server: 'fixture', memoryBytes: expect.any(Number), limitBytes: 250 * mebibyte });
  expect(exceeded.memoryBytes).toBeGreaterThan(300 * mebibyte);
  await stateOf(manager, 'fixture', ({ phase, generation }) => phase === 'ready' && generation === 2);
  expect([isRunning(pid as number), isRunning(child)]).toEqual([false, false]);
  expect(server.lifecycle).toMatchObject({ failures: 1 });
  expect(server.status).toMatchObject({
    restarts: 1,
    lastError: expect.stringMatching(/^Server "fixture" took \d{3} MiB of memory; its spec allows 250 MiB$/),
  });
});

onLinux('a call that is under way when its server is too large comes to its end, and a new one waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using manager = managerOf(fixtureSpec('grows.mjs', ['300'], limited));
  const server = manager.server('fixture');
  await server.start();
  await server.callTool('grow', {});
  const underWay = server.callTool('finish', {});
  await classify(manager);
  expect(server.lifecycle).toMatchObject({ phase: 'draining', next: { phase: 'backoff' } });
  const later = server.callTool('finish', {});
  expect(textOf(await underWay)).toBe('finished');
  expect(textOf(await later)).toBe('finished');
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 2 });
});

onLinux(
  'a limit that comes while the server runs counts from then on, and one that is taken away does not',
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await using manager = managerOf(fixtureSpec('grows.mjs', ['300'], { health: { intervalMs: 20_000 } }));
    const server = manager.server('fixture');
    await server.start();
    await server.callTool('grow', {});
    const limits = (maxMemoryBytes: number | undefined) =>
      manager.apply({
        servers: [fixtureSpec('grows.mjs', ['300'], { health: { intervalMs: 20_000 }, limits: { maxMemoryBytes } })],
      });
    expect(await limits(250 * mebibyte)).toMatchObject({ updated: ['fixture'], restarted: [] });
    await limits(undefined);
    await pass(60_000, server);
    expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 1 });
    await limits(250 * mebibyte);
    await classify(manager);
    await stateOf(manager, 'fixture', ({ phase, generation }) => phase === 'ready' && generation === 2);
  },
);
