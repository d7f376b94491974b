import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { CallHandler } from '../../src/session/server-requests/call-handler.js';
import { startBothEras } from '../helpers/both-eras-http.js';
import { managerOf, textOf } from '../helpers/servers.js';

const handlerOf = (era: CallHandler['era'], client: unknown = era): CallHandler => ({
  client,
  era,
  capabilities: {},
  answer: async () => ({}),
});

test('a server of both eras is spoken to in the era of each client, in one session each', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  const call = async (handler?: CallHandler) => textOf(await web.callTool('act', {}, handler && { handler }));
  const clients = [1, 2, 3].map((client) => call(handlerOf('legacy', client)));
  expect(await Promise.all(clients)).toEqual(['legacy', 'legacy', 'legacy']);
  expect(await call(handlerOf('modern'))).toBe('modern');
  expect(await call()).toBe('modern');
  expect(server.log.filter((entry) => entry === 'legacy initialize')).toHaveLength(1);
  expect([web.eraFor('legacy'), web.eraFor('modern')]).toEqual(['legacy', 'modern']);
  expect(web.session?.era).toBe('modern');
});

test('lists are those of the first session, and the log level is set in both', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  const handler = handlerOf('legacy');
  await web.start();
  await web.request('tools/list', {}, { handler });
  await web.setLogLevel('debug', { handler });
  expect(server.log).not.toContain('legacy initialize');
  await web.request('any/method', {}, { handler });
  expect(server.log).toContain('legacy any/method');
  await web.setLogLevel('error', { handler });
  await web.request('any/method', {}, { handler });
  expect(server.log.filter((entry) => entry === 'legacy logging/setLevel')).toHaveLength(2);
});

test.each(['stateless', 'refused'] as const)(
  'a server whose earlier era is %s is spoken to in the later one, and asked once',
  async (earlier) => {
    await using server = await startBothEras(earlier);
    await using manager = managerOf({ name: 'web', url: server.url });
    const web = manager.server('web');
    const handler = handlerOf('legacy');
    for (let call = 0; call < 3; call += 1) {
      expect(textOf(await web.callTool('act', {}, { handler }))).toBe('modern');
    }
    expect(server.log.filter((entry) => entry === 'legacy initialize')).toHaveLength(1);
    expect(web.eraFor('legacy')).toBe('modern');
  },
);

const initializations = (log: readonly string[]) => log.filter((entry) => entry === 'legacy initialize').length;

test('after a failed attempt, calls use the first session, and a later one opens the second', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  const entries: unknown[] = [];
  using _ = manager.events.on('server-log', ({ level, data }) => entries.push(`${level}: ${data}`));
  const call = async () => textOf(await web.callTool('act', {}, { handler: handlerOf('legacy') }));
  server.onInitialize = (response) => {
    server.onInitialize = undefined;
    response.writeHead(503).end();
  };
  expect(await call()).toBe('modern');
  expect(entries).toEqual([expect.stringMatching(/^warning: The second session.* HTTP 503/)]);
  await expect.poll(call, { timeout: 10_000 }).toBe('legacy');
  expect(initializations(server.log)).toBe(2);
});

test('attempts that fail again come at growing intervals', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url });
  const handler = handlerOf('legacy');
  server.onInitialize = (response) => void response.writeHead(503).end();
  for (let call = 0; call < 30; call += 1) {
    expect(textOf(await manager.server('web').callTool('act', {}, { handler }))).toBe('modern');
  }
  expect(initializations(server.log)).toBeLessThan(10);
});

test('a change of limits while the second session opens leaves it to a later call', async () => {
  await using server = await startBothEras('sessions');
  const spec = { name: 'web', url: server.url };
  await using manager = managerOf(spec);
  const web = manager.server('web');
  const entries: unknown[] = [];
  using _ = manager.events.on('server-log', (entry) => entries.push(entry));
  const call = async () => textOf(await web.callTool('act', {}, { handler: handlerOf('legacy') }));
  const opening = new Promise<ServerResponse>((resolve) => {
    server.onInitialize = resolve;
  });
  const first = call();
  const held = await opening;
  await manager.apply({ servers: [{ ...spec, limits: { maxConcurrentCalls: 3 } }] });
  expect(await first).toBe('modern');
  held.destroy();
  server.onInitialize = undefined;
  expect(await call()).toBe('legacy');
  expect(entries).toEqual([]);
});

test.each(['legacy', '2026-07-28'] as const)('a pinned revision is that of all clients (%s)', async (protocol) => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url, protocol });
  const eras = [];
  for (const era of ['legacy', 'modern'] as const) {
    eras.push(textOf(await manager.server('web').callTool('act', {}, { handler: handlerOf(era) })));
  }
  expect(new Set(eras)).toEqual(new Set([protocol === 'legacy' ? 'legacy' : 'modern']));
  expect(server.sessions.size).toBe(protocol === 'legacy' ? 1 : 0);
});

test('the second session ends when it is unused, and with the server', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url, limits: { idleStopMs: 1_000 } });
  const web = manager.server('web');
  const call = async () => textOf(await web.callTool('act', {}, { handler: handlerOf('legacy') }));
  for (const end of [() => {}, () => web.stop(), () => web.restart()]) {
    const ended = server.ended();
    expect(await call()).toBe('legacy');
    await end();
    await ended;
    expect(server.sessions.size).toBe(0);
  }
  await call();
  await manager.close();
  expect(server.sessions.size).toBe(0);
});

test('a second session that the server has forgotten is opened again', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  const call = async () => textOf(await web.callTool('act', {}, { handler: handlerOf('legacy') }));
  await call();
  server.sessions.clear();
  expect(await call()).toBe('legacy');
  expect(web.status).toMatchObject({ restarts: 0, callsInFlight: 0, callsQueued: 0 });
});

test('with a connection for each caller, callers of the earlier era have a second session of their own', async () => {
  await using server = await startBothEras('sessions');
  await using manager = managerOf({ name: 'web', url: server.url, connections: 'per-caller' });
  for (const client of ['one', 'other']) {
    const handler = { ...handlerOf('legacy', client), capabilities: { sampling: {} } };
    expect(textOf(await manager.server('web').callTool('act', {}, { handler }))).toBe('legacy');
  }
  expect(server.sessions.size).toBe(2);
  await manager.server('web').stop();
  expect(server.sessions.size).toBe(0);
});
