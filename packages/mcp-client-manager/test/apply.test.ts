import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createClientManager } from '../src/manager.js';
import { failureOf, isRunning, managerOf, serverSpec, stateOf, textOf } from './helpers/servers.js';

afterEach(expectNoLeaks);

const nothing = { added: [], removed: [], updated: [], restarted: [], kept: [], failures: [] };

test('the same configuration changes nothing and emits nothing', async () => {
  await using manager = managerOf(serverSpec('echo'));
  await manager.server('echo').start();
  const { pid } = manager.server('echo').status;
  manager.events.on('servers-changed', () => expect.fail('nothing has changed'));
  expect(await manager.apply({ servers: [serverSpec('echo')] })).toEqual({ ...nothing, kept: ['echo'] });
  expect(manager.server('echo').status.pid).toBe(pid);
});

test('a dry run reports what would change, and changes nothing', async () => {
  await using manager = managerOf(serverSpec('echo'), { ...serverSpec('echo'), name: 'gone' });
  await manager.server('echo').start();
  const { pid } = manager.server('echo').status;
  manager.events.on('servers-changed', () => expect.fail('nothing has changed'));
  const servers = [serverSpec('echo', ['--other']), { ...serverSpec('echo'), name: 'new' }];
  const report = { ...nothing, added: ['new'], removed: ['gone'], restarted: ['echo'] };
  expect(await manager.apply({ servers }, { dryRun: true })).toEqual(report);
  expect(manager.servers().map(({ name }) => name)).toEqual(['echo', 'gone']);
  expect(manager.server('echo').status).toMatchObject({ pid, phase: 'ready' });
  const invalid = serverSpec('echo', [], { limits: { maxTools: -1 } });
  await expect(manager.apply({ servers: [invalid] }, { dryRun: true })).rejects.toThrow(TypeError);
});

test('a change that does not affect the launch restarts nothing', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const { pid } = server.status;
  const changed = serverSpec('echo', [], {
    priority: 7,
    limits: { idleStopMs: 60_000 },
    allowedTools: ['add'],
    autoStart: false,
  });
  expect(await manager.apply({ servers: [changed] })).toEqual({ ...nothing, updated: ['echo'] });
  expect(manager.server('echo')).toBe(server);
  expect(server.status).toMatchObject({ pid, phase: 'ready', autoStart: false, tools: 1 });
  expect(server.listTools().map(({ name }) => name)).toEqual(['add']);
});

test.each([
  [{ limits: { maxQueuedCalls: 3 } }],
  [{ restart: { maxAttempts: 5 } }],
  [{ health: { intervalMs: 60_000 } }],
  [{ health: { method: 'tool_call', tool: 'echo' } as const }],
])('a change within a group is an update: %j', async (fields) => {
  await using manager = managerOf(serverSpec('echo'));
  const changed = { servers: [serverSpec('echo', [], fields)] };
  expect(await manager.apply(changed)).toEqual({ ...nothing, updated: ['echo'] });
  expect(await manager.apply(changed)).toEqual({ ...nothing, kept: ['echo'] });
});

test('a group that only spells out defaults changes nothing', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const same = serverSpec('echo', [], {
    limits: { maxTools: 10_000, idleStopMs: undefined },
    restart: { maxAttempts: 3 },
    health: { method: 'ping', intervalMs: 30_000 },
  });
  expect(await manager.apply({ servers: [same] })).toEqual({ ...nothing, kept: ['echo'] });
});

test('changed overrides of tools restart nothing, and are announced once', async () => {
  const say = (description: string) => serverSpec('echo', [], { tools: { echo: { description } } });
  await using manager = managerOf(say('Gives it back'));
  const server = manager.server('echo');
  await server.start();
  const { pid } = server.status;
  let announced = 0;
  using _listening = server.onToolsChanged(() => announced++);
  expect(await manager.apply({ servers: [say('Gives it back')] })).toEqual({ ...nothing, kept: ['echo'] });
  expect(announced).toBe(0);
  expect(await manager.apply({ servers: [say('Repeats')] })).toEqual({ ...nothing, updated: ['echo'] });
  expect(announced).toBe(1);
  expect(server.status).toMatchObject({ pid, phase: 'ready' });
  expect(server.toolOverrides).toEqual({ echo: { description: 'Repeats' } });
  expect(server.listTools().find(({ name }) => name === 'echo')?.description).not.toBe('Repeats');
});

test('an override that is undefined is none', () => {
  const manager = managerOf(serverSpec('echo', [], { tools: { echo: undefined, add: { title: 'Plus' } } as never }));
  expect(manager.server('echo').toolOverrides).toEqual({ add: { title: 'Plus' } });
});

test('changed arguments replace the process after the calls that are under way, and none of them fails', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  const before = textOf(await server.callTool('pid'));
  const calls: Promise<string>[] = [];
  await new Promise<void>((resolve) => {
    calls.push(server.callTool('wait', { ms: 500, steps: 10 }, { onProgress: () => resolve() }).then(textOf));
  });
  const applied = manager.apply({ servers: [serverSpec('slow', ['--handshake-ms', '1'])] });
  await stateOf(manager, 'slow', 'draining');
  const after = server.callTool('pid').then(textOf);
  expect(await calls[0]).toBe('waited 500 ms');
  expect(await applied).toEqual({ ...nothing, restarted: ['slow'] });
  expect(isRunning(Number(before))).toBe(false);
  expect(await after).not.toBe(before);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 2, failures: 0 });
});

test('a server that is named in "restart" loses its process even with the same launch, and one that is down stays down', async () => {
  let isAgreed = true;
  const specs = { servers: [serverSpec('echo'), { ...serverSpec('echo'), name: 'down' }] };
  await using manager = createClientManager(specs, { confirmLaunch: () => isAgreed });
  await manager.server('echo').start();
  isAgreed = false;
  expect(await manager.apply(specs, { restart: ['echo', 'down'] })).toEqual({
    ...nothing,
    restarted: ['echo'],
    kept: ['down'],
  });
  expect(manager.server('echo').status).toMatchObject({ state: 'failed', pid: undefined });
  expect(manager.server('down').phase).toBe('idle');
  await expect(manager.apply({ servers: [] }, { restart: ['ehco'] })).rejects.toMatchObject({
    code: 'unknown-server',
    server: 'ehco',
    message: 'No server is named "ehco". Configured: "echo", "down".',
  });
  expect(manager.servers()).toHaveLength(2);
  expect(await manager.apply({ servers: [] }, { restart: ['down'] })).toEqual({
    ...nothing,
    removed: ['echo', 'down'],
  });
  await expect(manager.apply(specs, { restart: 'echo' } as never)).rejects.toThrow(
    'restart must be a list of server names',
  );
  await expect(manager.apply(specs, { restarts: [] } as never)).rejects.toThrow('did you mean restart?');
});

test('a server that is named in "restart" while it is being stopped stays down', async () => {
  const specs = { servers: [serverSpec('slow')] };
  await using manager = createClientManager(specs);
  const server = manager.server('slow');
  const calls: Promise<string>[] = [];
  await new Promise<void>((resolve) => {
    calls.push(server.callTool('wait', { ms: 300, steps: 10 }, { onProgress: () => resolve() }).then(textOf));
  });
  const stopped = server.stop();
  await stateOf(manager, 'slow', 'draining');
  expect(await manager.apply(specs, { restart: ['slow'] })).toEqual({ ...nothing, kept: ['slow'] });
  await Promise.all([stopped, ...calls]);
  expect(server.phase).toBe('idle');
});

test('changed arguments of a server that rests wake it only when it is wanted', async () => {
  await using manager = managerOf(serverSpec('slow'));
  expect(await manager.apply({ servers: [serverSpec('slow', ['--handshake-ms', '1'])] })).toEqual({
    ...nothing,
    restarted: ['slow'],
  });
  expect(manager.server('slow').phase).toBe('idle');
});

test('a server that failed for good has another chance with another command', async () => {
  await using manager = managerOf({ name: 'echo', command: 'no-such-command-anywhere' });
  const server = manager.server('echo');
  await failureOf(server.start());
  await stateOf(manager, 'echo', 'failed');
  await manager.apply({ servers: [serverSpec('echo')] });
  expect(textOf(await server.callTool('echo', { text: 'well' }))).toBe('well');
});

test('servers come and go, in the order of the configuration', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow'));
  await manager.start();
  const [echo, slow] = manager.servers();
  const pid = echo?.status.pid as number;
  const told: unknown[] = [];
  manager.events.on('servers-changed', (event) => told.push(event));
  const report = await manager.apply({ servers: [serverSpec('modern-only'), serverSpec('slow')] });
  expect(report).toEqual({ ...nothing, added: ['modern-only'], removed: ['echo'], kept: ['slow'] });
  expect(told).toEqual([{ added: ['modern-only'], removed: ['echo'], updated: [], restarted: [] }]);
  expect(manager.servers().map(({ name }) => name)).toEqual(['modern-only', 'slow']);
  expect(manager.server('slow')).toBe(slow);
  expect(isRunning(pid)).toBe(false);
  expect(() => manager.server('echo')).toThrow(expect.objectContaining({ code: 'unknown-server' }));
  expect(await failureOf(echo?.callTool('echo') as Promise<unknown>)).toMatchObject({
    code: 'closed',
    message: 'Server "echo" cannot be used: it was removed from the configuration',
  });
});

test('a server that comes back under its old name is a new one', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const before = manager.server('echo');
  await manager.apply({ servers: [] });
  await manager.apply({ servers: [serverSpec('echo')] });
  expect(manager.server('echo')).not.toBe(before);
  expect(textOf(await manager.callTool('echo', 'echo', { text: 'new' }))).toBe('new');
});

test('a server is disabled and enabled again', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  await manager.apply({ servers: [serverSpec('echo', [], { disabled: true })] });
  expect(server.status).toMatchObject({ phase: 'disabled', disabled: true, tools: 8, pid: undefined });
  expect(server.listTools()).toEqual([]);
  expect(await findLeaks()).toEqual([]);
  for (const attempt of [server.start(), server.callTool('echo'), server.discoverTools()]) {
    expect(await failureOf(attempt)).toMatchObject({ code: 'server-disabled' });
  }
  expect(await manager.start()).toEqual([]);
  await manager.apply({ servers: [serverSpec('echo')] });
  expect(textOf(await server.callTool('echo', { text: 'back' }))).toBe('back');
});

test('a configuration that cannot work changes nothing', async () => {
  await using manager = managerOf(serverSpec('echo'));
  expect(await failureOf(manager.apply({ servers: [serverSpec('slow'), serverSpec('slow')] }))).toEqual(
    new TypeError('Two servers are named "slow"; names must be unique'),
  );
  expect(manager.servers().map(({ name }) => name)).toEqual(['echo']);
});

test('configurations that come in one breath are applied one after the other', async () => {
  await using manager = managerOf(serverSpec('echo'));
  await manager.start();
  const reports = await Promise.all([
    manager.apply({ servers: [] }),
    manager.apply({ servers: [serverSpec('slow')] }),
    manager.apply({ servers: [serverSpec('slow'), serverSpec('echo')] }),
  ]);
  expect(reports.map(({ added, removed }) => [added, removed])).toEqual([
    [[], ['echo']],
    [['slow'], []],
    [['echo'], []],
  ]);
});

test('after close nothing is applied any more', async () => {
  const manager = managerOf(serverSpec('echo'));
  await manager.close();
  expect(await failureOf(manager.apply({ servers: [] }))).toMatchObject({ code: 'closed' });
});

test('an eager server starts with its manager, or with the configuration that makes it eager', async () => {
  await using manager = managerOf(serverSpec('echo', [], { eager: true }), serverSpec('slow'), {
    name: 'gone',
    command: 'no-such-command-anywhere',
    eager: true,
  });
  expect(manager.server('echo').phase).toBe('idle');
  await stateOf(manager, 'echo', 'ready');
  await stateOf(manager, 'gone', 'failed');
  expect(manager.server('slow').phase).toBe('idle');
  await manager.apply({ servers: [serverSpec('echo'), serverSpec('slow', [], { eager: true })] });
  await stateOf(manager, 'slow', 'ready');
});

test('an eager server comes back after it has left by itself', async () => {
  await using manager = managerOf(serverSpec('echo', [], { eager: true }));
  await stateOf(manager, 'echo', 'ready');
  await failureOf(manager.callTool('echo', 'exit', { code: 0 }));
  await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
  expect(manager.server('echo').lifecycle).toMatchObject({ failures: 0 });
});

test('an eager server that was stopped by hand stays so until it is to be run in another way', async () => {
  const eager = serverSpec('echo', [], { eager: true });
  await using manager = managerOf(eager, serverSpec('slow'));
  await stateOf(manager, 'echo', 'ready');
  await manager.server('echo').stop();
  await manager.apply({ servers: [eager, serverSpec('slow', [], { priority: 3 })] });
  await manager.apply({ servers: [{ ...eager, priority: 2 }, serverSpec('slow')] });
  expect(manager.server('echo').lifecycle).toMatchObject({ phase: 'idle', generation: 1 });
  await manager.apply({ servers: [{ ...eager, env: { OTHER: 'yes' } }, serverSpec('slow')] });
  await stateOf(manager, 'echo', 'ready');
});

test('another value of a variable is another process that offers the tools that are known', async () => {
  const spec = serverSpec('echo', [], { env: { TOKEN: 'one' } });
  await using manager = managerOf(spec);
  const server = manager.server('echo');
  await server.start();
  await server.stop();
  const tools = server.listTools();
  expect(tools).not.toHaveLength(0);
  expect(await manager.apply({ servers: [{ ...spec, env: { TOKEN: 'two' } }] })).toMatchObject({ restarted: ['echo'] });
  expect(server.listTools()).toEqual(tools);
});
