import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ClientManager } from '../../../src/manager.js';
import { failureOf, fixtureSpec, managerOf, serverSpec, stateOf, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

function nextChange(manager: ClientManager): Promise<number> {
  return new Promise((resolve) => {
    const listening = manager.events.on('tools-changed', ({ tools }) => {
      listening[Symbol.dispose]();
      resolve(tools);
    });
  });
}

const namesOf = (manager: ClientManager, server: string): string[] =>
  manager
    .server(server)
    .listTools()
    .map(({ name }) => name);

test('reports the first list of tools as a change', async () => {
  await using manager = managerOf(serverSpec('many-pages'));
  const changed = nextChange(manager);
  await manager.server('many-pages').start();
  expect(await changed).toBe(6);
});

test('lists the tools again after a notification of an older revision', async () => {
  await using manager = managerOf(serverSpec('changes-tools'));
  const server = manager.server('changes-tools');
  await server.start();
  const before = server.listTools();
  for (const [tool, expected] of [
    ['grow', [...before.map(({ name }) => name), 'grown_1']],
    ['shrink', before.map(({ name }) => name)],
  ] as const) {
    const changed = nextChange(manager);
    await server.callTool(tool);
    expect(await changed).toBe(expected.length);
    expect(namesOf(manager, 'changes-tools')).toEqual(expected);
  }
});

test('reports a changed description', async () => {
  await using manager = managerOf(serverSpec('changes-tools'));
  const server = manager.server('changes-tools');
  await server.start();
  const before = server.listTools();
  const changed = nextChange(manager);
  await server.callTool('reword');
  await changed;
  expect(server.listTools()).not.toEqual(before);
  expect(server.listTools()).toHaveLength(before.length);
});

test('subscribes to a server of revision 2026-07-28, and lists it again', async () => {
  await using manager = managerOf(fixtureSpec('modern-changes-tools.mjs'));
  await manager.server('fixture').start();
  expect(manager.server('fixture').session).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28' });
  // The subscription is opened when the session is; until it is acknowledged, nothing is announced.
  const changed = nextChange(manager);
  for (let calls = 0; namesOf(manager, 'fixture').length === 1 && calls < 100; calls += 1) {
    await manager.callTool('fixture', 'grow');
  }
  await changed;
  expect(namesOf(manager, 'fixture').length).toBeGreaterThan(1);
});

test('a burst of a thousand notifications causes few listings and ends with the newest tools', async () => {
  await using manager = managerOf(serverSpec('changes-tools'));
  const server = manager.server('changes-tools');
  await server.start();
  let changes = 0;
  manager.events.on('tools-changed', () => {
    changes += 1;
  });
  const changed = nextChange(manager);
  await server.callTool('burst', { count: 1_000 });
  await changed;
  expect(namesOf(manager, 'changes-tools')).toContain('grown_1');
  expect(changes).toBe(1);
});

test('onToolsChanged of a server reports only its own changes and states', async () => {
  await using manager = managerOf(serverSpec('changes-tools'), serverSpec('echo'));
  let told = 0;
  const listening = manager.server('changes-tools').onToolsChanged(() => {
    told += 1;
  });
  await manager.server('echo').start();
  expect(told).toBe(0);
  await manager.server('changes-tools').start();
  expect(told).toBeGreaterThan(0);
  listening[Symbol.dispose]();
  const before = told;
  await manager.server('changes-tools').stop();
  expect(told).toBe(before);
});

test('follows the empty cursor of page two', async () => {
  await using manager = managerOf(serverSpec('many-pages', ['--cursor', 'empty']));
  await manager.server('many-pages').start();
  expect(namesOf(manager, 'many-pages')).toHaveLength(6);
  expect(manager.server('many-pages').state).toBe('running');
});

test.each([
  ['repeat', 4, 'the server repeated the cursor "again"'],
  [
    'endless',
    200,
    'stopped after 100 pages and 200 tools; the limits are 100, 10000 and 32 MiB; raise "limits.maxTools"',
  ],
  ['fail', 2, 'page 2 failed: Page 2 is broken'],
])('a list with the fault "%s" is partial, and the server degraded', async (cursor, tools, problem) => {
  await using manager = managerOf(serverSpec('many-pages', ['--cursor', cursor]));
  const server = manager.server('many-pages');
  await server.start();
  expect(server.listTools()).toHaveLength(tools);
  expect(server.state).toBe('degraded');
  expect(server.status.catalogProblems).toEqual([problem]);
  const [last] = server.listTools().slice(-1);
  expect(textOf(await server.callTool('tool_1'))).toBe('tool_1');
  expect(last?.name).toBe(`tool_${tools}`);
});

test('lists at most the tools that the spec allows, and names the limit in the status', async () => {
  await using manager = managerOf(
    serverSpec('many-pages', ['--pages', '3', '--per-page', '4'], { limits: { maxTools: 5 } }),
  );
  const server = manager.server('many-pages');
  await server.start();
  expect(server.listTools()).toHaveLength(5);
  expect(server.state).toBe('degraded');
  expect(server.status.catalogProblems).toEqual([
    'stopped after 2 pages and 5 tools; the limits are 100, 5 and 32 MiB; raise "limits.maxTools"',
  ]);
});

test('reads a list that fails once again from its first page', async () => {
  await using manager = managerOf(serverSpec('many-pages', ['--cursor', 'fail-once']));
  const server = manager.server('many-pages');
  await server.start();
  expect(server).toMatchObject({ state: 'running', status: { catalogProblems: [] } });
  expect(await server.discoverTools()).toHaveLength(6);
});

test('a server without a usable list is degraded, and discoverTools reports the reason', async () => {
  const tools = { error: { code: -32_603, message: 'no database' } };
  await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ tools })]));
  const server = manager.server('fixture');
  await server.start();
  expect(server).toMatchObject({ state: 'degraded', lifecycle: { phase: 'ready', catalog: 'unavailable' } });
  expect(await failureOf(server.discoverTools())).toMatchObject({
    code: 'server-error',
    message: 'Server "fixture" did not list its tools: page 1 failed: no database',
  });
  expect(textOf(await server.callTool('act'))).toBe('acted');
});

test('a server without the tools capability has no tools and is healthy', async () => {
  const initialize = { capabilities: {} };
  await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ initialize })]));
  expect(await manager.server('fixture').discoverTools()).toEqual([]);
  expect(manager.server('fixture').state).toBe('running');
});

test('one invalid tool does not affect the others', async () => {
  const good = { name: 'good', inputSchema: { type: 'object' } };
  const tools = { tools: [{ name: 'no schema' }, good, { inputSchema: {} }, 5] };
  await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ tools })]));
  expect(await manager.server('fixture').discoverTools()).toEqual([good]);
  expect(manager.server('fixture').status.catalogProblems).toHaveLength(3);
});

test('discoverTools reports a server that dies meanwhile', async () => {
  await using manager = managerOf(serverSpec('dies-mid-call'));
  const server = manager.server('dies-mid-call');
  await server.start();
  const discovered = server.discoverTools();
  process.kill(server.status.pid as number, 'SIGKILL');
  // The response was faster than the kill, or the loss is reported.
  const outcome = await discovered.catch((error: unknown) => error);
  if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'connection-lost' });
  else expect(outcome).toHaveLength(3);
  await stateOf(manager, 'dies-mid-call', ({ phase, generation }) => phase === 'ready' && generation === 2);
});
