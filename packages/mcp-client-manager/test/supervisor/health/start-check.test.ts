import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ServerSpec } from '../../../src/spec.js';
import { failureOf, managerOf, managerWith, phasesOf, serverSpec, stateOf, textOf } from '../../helpers/servers.js';

afterEach(() => expectNoLeaks());

/** A server whose check fails in the first `sick` calls of a process. */
async function sickFor(sick: number, extras: Partial<ServerSpec> = {}, tool = 'status') {
  const file = join(await mkdtemp(join(tmpdir(), 'start-check-')), 'starts');
  const health = { method: 'tool_call', tool, timeoutMs: 1_000 } as const;
  const spec = serverSpec('counter', ['--file', file, '--sick', String(sick)], { name: 'db', health, ...extras });
  return { spec, starts: async () => (await readFile(file, 'utf8')).trimEnd().split('\n').length };
}

test('a server is up when its health check has passed once', async () => {
  const { spec } = await sickFor(0);
  await using manager = managerOf(spec);
  const phases = phasesOf(manager, 'db');
  const server = manager.server('db');
  await server.start();
  expect(phases).toEqual([
    'queued',
    'starting spawn',
    'starting handshake',
    'starting tools',
    'starting health',
    'ready',
  ]);
  expect(server.status).toMatchObject({ health: 'healthy', healthError: undefined });
});

test('the handshake is the first ping', async () => {
  await using manager = managerOf(serverSpec('echo'));
  await manager.server('echo').start();
  expect(manager.server('echo').status.health).toBe('healthy');
});

test('a start reports the first failed check at once, with its reason, and the server gets further ones', async () => {
  const { spec, starts } = await sickFor(2);
  await using manager = managerOf(spec);
  const events: unknown[] = [];
  manager.events.on('server-health', (event) => events.push(event));
  const server = manager.server('db');
  const failure = (await failureOf(server.start())) as Error;
  const reason = 'the tool "status" returned an error: database not reachable (call 1)';
  expect(failure).toMatchObject({
    code: 'server-unresponsive',
    message: `Server "db" has started, but its health check fails: ${reason}`,
    retryable: true,
  });
  expect(server.status).toMatchObject({
    phase: 'starting',
    health: 'unhealthy',
    healthError: reason,
    lastError: failure.message,
  });
  await stateOf(manager, 'db', 'ready');
  expect(server.status).toMatchObject({ health: 'healthy', healthError: undefined, restarts: 0 });
  expect(await starts()).toBe(1);
  expect(events).toEqual([
    { server: 'db', health: 'unhealthy', reason },
    { server: 'db', health: 'unhealthy', reason: reason.replace('call 1', 'call 2') },
    { server: 'db', health: 'healthy' },
  ]);
});

test('a call waits for a server that needs a moment', async () => {
  const { spec } = await sickFor(2);
  await using manager = managerOf({ ...spec, autoStart: true });
  expect(textOf(await manager.server('db').callTool('echo', { text: 'hello' }))).toBe('hello');
  expect(manager.server('db').status.restarts).toBe(0);
});

test('a server whose check never passes is restarted, and then given up with the reason', async () => {
  const { spec, starts } = await sickFor(1_000, { limits: { startupTimeoutMs: 1_000 }, restart: { maxAttempts: 1 } });
  await using manager = managerOf(spec);
  const server = manager.server('db');
  await failureOf(server.start());
  await stateOf(manager, 'db', 'parked');
  expect(await starts()).toBe(2);
  expect(server.listTools()).toEqual([]);
  expect(server.knownTools().map(({ name }) => name)).toEqual(['echo', 'pid', 'starts', 'status']);
  expect(server.status).toMatchObject({
    state: 'failed',
    lastError: expect.stringContaining('its health check fails: the tool "status" returned an error: database not'),
  });
});

test('a check of a tool that the server lacks fails the start at once, with the nearest name', async () => {
  const { spec, starts } = await sickFor(0, {}, 'statuz');
  await using manager = managerOf(spec);
  const failure = await failureOf(manager.server('db').start());
  expect(failure).toMatchObject({
    code: 'start-failed',
    message: expect.stringContaining(
      'The health check of "db" calls "statuz", which is not among its 4 tools. Did you mean "status"?',
    ),
  });
  await stateOf(manager, 'db', 'failed');
  expect(await starts()).toBe(1);
});

test('a corrected check starts a server that its check had stopped', async () => {
  const { spec } = await sickFor(0, {}, 'statuz');
  await using manager = managerOf({ ...spec, autoStart: true, eager: true });
  await manager.start();
  await stateOf(manager, 'db', 'failed');
  const health = { method: 'tool_call', tool: 'status' } as const;
  await manager.apply({ servers: [{ ...spec, autoStart: true, eager: true, health }] });
  await stateOf(manager, 'db', 'ready');
  expect(manager.server('db').status.health).toBe('healthy');
});

test('another interval of the same check does not start a server that its check had stopped', async () => {
  const { spec, starts } = await sickFor(0, {}, 'statuz');
  await using manager = managerOf({ ...spec, autoStart: true, eager: true });
  await manager.start();
  await stateOf(manager, 'db', 'failed');
  const health = { method: 'tool_call', tool: 'statuz', timeoutMs: 1_000, intervalMs: 60_000 } as const;
  const report = await manager.apply({ servers: [{ ...spec, autoStart: true, eager: true, health }] });
  expect(report.updated).toEqual(['db']);
  expect(manager.server('db').phase).toBe('failed');
  expect(await starts()).toBe(1);
});

test('a check that gets no answer fails after its own time limit', async () => {
  const health = { method: 'tool_call', tool: 'wait', args: { ms: 600_000 }, timeoutMs: 1_000 } as const;
  await using manager = managerOf(serverSpec('slow', [], { health }));
  expect(await failureOf(manager.server('slow').start())).toMatchObject({
    message: 'Server "slow" has started, but its health check fails: no answer within 1000 ms',
  });
});

test('a stop ends the checks of a start', async () => {
  const { spec } = await sickFor(1_000);
  await using manager = managerOf(spec);
  const server = manager.server('db');
  await failureOf(server.start());
  await server.stop();
  expect(server.status).toMatchObject({ state: 'stopped', health: 'unknown', healthError: undefined });
});

test('the reason of a failed check is redacted', async () => {
  const { spec } = await sickFor(1);
  await using manager = managerWith({ redact: (text) => text.replaceAll('database', '***') }, spec);
  expect(await failureOf(manager.server('db').start())).toMatchObject({
    message: expect.stringContaining('returned an error: *** not reachable'),
  });
});

test('a secret at the end of the quoted text is redacted before the cut', async () => {
  const { spec } = await sickFor(1);
  const secret = 'database not reachable (call 1)';
  const redact = (text: string) => text.replaceAll(`${'x'.repeat(280)}${secret}`, '***').replaceAll(secret, '***');
  await using manager = managerWith({ redact }, spec);
  const failure = (await failureOf(manager.server('db').start())) as Error;
  expect(failure.message).toContain('returned an error: ***');
  expect(manager.server('db').status.healthError).not.toContain('database');
});

test('another check does not start a server that was stopped', async () => {
  const { spec } = await sickFor(0, { eager: true });
  await using manager = managerOf(spec);
  const server = manager.server('db');
  await server.start();
  await server.stop();
  await manager.apply({ servers: [{ ...spec, health: { method: 'ping', timeoutMs: 2_000 } }] });
  expect(server.phase).toBe('idle');
});

test('known tools change with the spec while none are offered', async () => {
  const { spec } = await sickFor(0, { autoStart: false });
  await using manager = managerOf(spec);
  const server = manager.server('db');
  await server.start();
  await server.stop();
  let changes = 0;
  using _listening = server.onToolsChanged(() => {
    changes += 1;
  });
  await manager.apply({ servers: [{ ...spec, deniedTools: ['status'] }] });
  expect(server.knownTools().map(({ name }) => name)).toEqual(['echo', 'pid', 'starts']);
  expect(changes).toBe(1);
});
