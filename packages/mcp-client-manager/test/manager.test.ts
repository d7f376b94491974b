import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createClientManager } from '../src/manager.js';
import { failureOf, isRunning, managerOf, serverSpec, stateOf, textOf, warningsDuring } from './helpers/servers.js';

afterEach(expectNoLeaks);

test('a manager that was made has started nothing', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow'));
  expect(manager.servers().map(({ name }) => name)).toEqual(['echo', 'slow']);
  expect(manager.status().map(({ name, state }) => [name, state])).toEqual([
    ['echo', 'stopped'],
    ['slow', 'stopped'],
  ]);
  expect(await findLeaks()).toEqual([]);
});

test('specs that cannot work are refused before anything starts', () => {
  expect(() => managerOf(serverSpec('echo'), serverSpec('echo'))).toThrow(
    new TypeError('Two servers are named "echo"; names must be unique'),
  );
  expect(() => managerOf({ name: 'x', command: '' })).toThrow(TypeError);
  expect(() => createClientManager({ servers: [] }, { callTimeoutMs: -1 })).toThrow(TypeError);
});

test('any iterable of specs will do, and none', async () => {
  await using some = createClientManager({ servers: new Set([serverSpec('echo')]) });
  expect(some.servers()).toHaveLength(1);
  await using none = createClientManager({ servers: [] });
  expect(await none.start()).toEqual([]);
});

test('servers can be an object by name, as host applications write it', async () => {
  const { name, ...echo } = serverSpec('echo');
  const byName = { [name]: { ...echo, type: 'stdio' }, other: { url: 'http://127.0.0.1:1/mcp', disabled: true } };
  await using manager = createClientManager({ mcpServers: byName });
  expect(manager.servers().map((server) => server.name)).toEqual(['echo', 'other']);
  expect(textOf(await manager.callTool('echo', 'echo', { text: 'hi' }))).toBe('hi');
  const { added, kept } = await manager.apply({ servers: { ...byName, third: echo } });
  expect({ added, kept }).toEqual({ added: ['third'], kept: ['echo', 'other'] });
});

test.each<[unknown, string]>([
  [undefined, 'The servers must be an object with "servers"'],
  [{}, 'The servers must be an object with "servers"'],
  [{ servers: 'git' }, 'The servers must be an object with "servers"'],
  [Promise.resolve({ servers: [] }), 'The configuration is a promise; await it first'],
  [{ servers: Promise.resolve([]) }, '"servers" is a promise; await it first'],
  [[serverSpec('echo')], 'The servers are a list. Pass it as { servers: [...] }'],
  [{ servers: [], mcpServers: {} }, 'The servers have both "servers" and "mcpServers". Pass one of them'],
  [{ servers: ['npx'] }, 'A server spec must be an object, got string'],
  [{ servers: { git: 'npx server-git' } }, 'server "git": must be an object, got string'],
])('servers that are %o are refused with the right form', (specs, message) => {
  expect(() => createClientManager(specs as Parameters<typeof createClientManager>[0])).toThrow(message);
  expect(() => createClientManager(specs as Parameters<typeof createClientManager>[0])).toThrow(TypeError);
});

test('a server that is not there is named, with those that are', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow'));
  const expected = {
    code: 'unknown-server',
    server: 'git',
    message: 'No server is named "git". Configured: "echo", "slow".',
  };
  expect(() => manager.server('git')).toThrow(expect.objectContaining(expected));
  expect(await failureOf(manager.callTool('git', 'log'))).toMatchObject(expected);
  await using empty = managerOf();
  expect(() => empty.server('git')).toThrow('No server is named "git". Configured: none.');
});

test('start starts all servers with autoStart together and reports each outcome', async () => {
  await using manager = managerOf(
    serverSpec('echo'),
    serverSpec('slow', [], { autoStart: false }),
    { name: 'gone', command: 'no-such-command-anywhere' },
    serverSpec('modern-only'),
  );
  expect(await manager.start()).toMatchObject([
    { server: 'echo', status: 'started' },
    { server: 'gone', status: 'failed', error: { code: 'start-failed' } },
    { server: 'modern-only', status: 'started' },
  ]);
  expect(manager.status().map(({ state }) => state)).toEqual(['running', 'stopped', 'failed', 'running']);
});

test('an abort ends the wait for the start, and the servers go on starting', async () => {
  await using manager = managerOf(serverSpec('slow', ['--handshake-ms', '200']), serverSpec('echo'));
  const end = new AbortController();
  const started = failureOf(manager.start({ signal: end.signal }));
  const reason = new Error('enough');
  end.abort(reason);
  expect(await started).toBe(reason);
  await stateOf(manager, 'slow', 'ready');
});

test('twenty servers that start with one signal warn of no leak', async () => {
  const specs = Array.from({ length: 20 }, (_, index) => ({ ...serverSpec('echo'), name: `echo ${index}` }));
  await using manager = managerOf(...specs);
  const warnings = await warningsDuring(async () => {
    await manager.start({ signal: new AbortController().signal });
  });
  expect(warnings).toEqual([]);
  expect(manager.status().map(({ state }) => state)).toEqual(Array(20).fill('running'));
});

test('a server that may not start by itself waits for start, and a call says so', async () => {
  await using manager = managerOf(serverSpec('echo', [], { autoStart: false }));
  const server = manager.server('echo');
  expect(await failureOf(server.callTool('echo'))).toMatchObject({
    code: 'not-started',
    server: 'echo',
    message:
      'Server "echo" is not running and may not start by itself ("auto_start" is false). Start it first, or set "auto_start" to true.',
  });
  expect(server.state).toBe('stopped');
  await server.start();
  expect(textOf(await server.callTool('echo', { text: 'x' }))).toBe('x');
  await server.stop();
  expect(await failureOf(server.callTool('echo'))).toMatchObject({ code: 'not-started' });
});

test('discoverTools and capabilities start a server even with autoStart: false', async () => {
  await using manager = managerOf(
    serverSpec('echo', [], { autoStart: false }),
    serverSpec('slow', [], { autoStart: false }),
  );
  expect((await manager.server('echo').discoverTools()).map(({ name }) => name)).toContain('add');
  expect(await manager.server('slow').capabilities()).toEqual({ tools: { listChanged: true } });
});

test('a row of the status table', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  const resting = {
    name: 'echo',
    state: 'stopped',
    phase: 'idle',
    health: 'unknown',
    healthError: undefined,
    healthCheckedAt: undefined,
    autoStart: true,
    disabled: false,
    transport: 'stdio',
    cachedAt: undefined,
    callsInFlight: 0,
    callsQueued: 0,
    retryInMs: undefined,
    tools: 0,
    pid: undefined,
    uptimeMs: undefined,
    restarts: 0,
    protocolVersion: undefined,
    junkLines: 0,
    catalogProblems: [],
    lastError: undefined,
  };
  expect(server.status).toEqual(resting);
  await server.start();
  const pid = Number(textOf(await server.callTool('pid')));
  expect(server.status).toEqual({
    ...resting,
    state: 'running',
    phase: 'ready',
    health: 'healthy',
    healthCheckedAt: expect.any(Number),
    tools: 8,
    pid,
    uptimeMs: expect.any(Number),
    protocolVersion: '2025-11-25',
  });
  expect(server.session).toEqual({
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'test-server', version: '1.0.0' },
    capabilities: { tools: { listChanged: true } },
    instructions: undefined,
  });
  await server.stop();
  expect(server.status).toEqual({ ...resting, tools: 8 });
  expect(server.session).toBeUndefined();
});

test('events follow their changes, in order', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const seen: string[] = [];
  manager.events.on('server-state', ({ server, previous, state }) => {
    expect(manager.server(server).lifecycle).toBe(state);
    seen.push(`${previous.phase} > ${state.phase}`);
  });
  manager.events.on('tools-changed', ({ tools }) => {
    expect(manager.server('echo').listTools()).toHaveLength(tools);
    seen.push(`${tools} tools`);
  });
  await manager.server('echo').start();
  await manager.server('echo').stop();
  expect(seen).toEqual([
    'idle > queued',
    'queued > starting',
    'starting > starting',
    'starting > starting',
    'starting > ready',
    '8 tools',
    'ready > stopping',
    'stopping > idle',
  ]);
});

test('a listener that throws keeps neither the others nor the server from anything', async () => {
  await using manager = managerOf(serverSpec('echo'));
  let heard = 0;
  manager.events.on('server-state', () => {
    throw new Error('cannot listen');
  });
  manager.events.on('server-state', () => {
    heard += 1;
  });
  const warnings = await warningsDuring(async () => {
    expect(textOf(await manager.callTool('echo', 'echo', { text: 'x' }))).toBe('x');
  });
  expect(heard).toBe(5);
  expect(warnings).toHaveLength(5);
  expect(warnings[0]).toContain('A listener of "server-state" threw: Error: cannot listen');
});

test('reports stderr line by line', async () => {
  await using manager = managerOf(
    serverSpec('exits-at-once', ['--stderr', 'one\ntwo'], { restart: { onFailure: false } }),
  );
  const lines: string[] = [];
  manager.events.on('server-stderr', ({ server, line }) => lines.push(`${server}: ${line}`));
  await failureOf(manager.server('exits-at-once').start());
  expect(lines).toEqual(['exits-at-once: one', 'exits-at-once: two']);
  expect(manager.server('exits-at-once').stderrTail()).toEqual(['one', 'two']);
});

test('close stops every server and resolves when the processes are gone', async () => {
  const manager = managerOf(serverSpec('echo'), serverSpec('ignores-sigterm'), serverSpec('leaves-grandchild'));
  await manager.start();
  const pids = manager.status().map(({ pid }) => pid as number);
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  await manager.close();
  expect(pids.map(isRunning)).toEqual([false, false, false]);
  expect(await findLeaks()).toEqual([]);
  expect(manager.status().map(({ phase }) => phase)).toEqual(['closed', 'closed', 'closed']);
});

test('a second close joins the first, and close after that changes nothing', async () => {
  const manager = managerOf(serverSpec('echo'));
  await manager.start();
  const first = manager.close();
  expect(manager.close()).toBe(first);
  await first;
  await manager.close();
  await manager[Symbol.asyncDispose]();
});

test('close while servers start ends the starts', async () => {
  const manager = managerOf(serverSpec('never-initializes'), serverSpec('echo'), {
    name: 'gone',
    command: 'no-such-command',
  });
  const started = manager.start();
  await manager.close();
  const outcomes = await started;
  expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  expect(outcomes).toMatchObject([{ error: { code: 'closed' } }, { error: { code: 'closed' } }, {}]);
  expect(await findLeaks()).toEqual([]);
});

test('after close nothing starts any more', async () => {
  const manager = managerOf(serverSpec('echo'));
  await manager.close();
  const server = manager.server('echo');
  for (const attempt of [
    server.start(),
    server.restart(),
    server.callTool('echo'),
    server.discoverTools(),
    server.capabilities(),
  ]) {
    expect(await failureOf(attempt)).toMatchObject({ code: 'closed' });
  }
  await server.stop();
  expect(await server.checkHealth()).toBe(false);
  expect(await manager.start()).toMatchObject([{ status: 'failed', error: { code: 'closed' } }]);
  expect(await findLeaks()).toEqual([]);
});

test('listeners receive the end of their servers and nothing after it', async () => {
  const manager = managerOf(serverSpec('echo'));
  await manager.start();
  const phases: string[] = [];
  manager.events.on('server-state', ({ state }) => phases.push(state.phase));
  await manager.close();
  expect(phases).toEqual(['stopping', 'closed']);
});

test('two managers run servers of one name without touching each other', async () => {
  const one = managerOf(serverSpec('echo'));
  await using other = managerOf(serverSpec('echo'));
  const pids = await Promise.all(
    [one, other].map(async (manager) => Number(textOf(await manager.callTool('echo', 'pid')))),
  );
  await one.close();
  expect(pids.map(isRunning)).toEqual([false, true]);
});
