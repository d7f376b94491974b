import type { ViewOptions } from '@x/internal/views';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { NamingMode } from '../../../src/gateway/naming/gateway-names.js';
import { connectRaw } from '../helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles = [{ role: 'part', allowedTools: ['left.work', 'right.work'] }];

async function open(workers: readonly Worker[], names: NamingMode = 'as-is') {
  const registry = createRegistry({ roles });
  for (const { source } of workers) await registry.attach(source).ready;
  const upstreams = upstreamsOf(...workers);
  const gateway = createGateway({ registry, upstreams: upstreams as never, names });
  opened.push(registry, gateway);
  const connect = async (audience: ViewOptions = {}) => {
    const connection = await connectRaw(gateway, audience);
    opened.push(connection);
    return connection;
  };
  const say = (server: string, method: string, params: Record<string, unknown>) =>
    upstreams.events.emit('server-notification', { server, method, params });
  return { connect, say };
}

const legacy = (name: string) => createWorker(name, { era: 'legacy' });
const asTask = { name: 'work', arguments: {}, task: {} };

test('forwards unknown notifications of a single server to clients that may use all of it', async () => {
  const { connect, say } = await open([legacy('left')]);
  const [whole, part] = [await connect(), await connect({ role: 'part' })];
  say('left', 'notifications/acme/brewed', { cups: 2, _meta: { 'x/y': 1 } });
  for (const client of [whole, part]) await client.request('ping');
  expect(whole.told).toEqual([{ method: 'notifications/acme/brewed', params: { cups: 2, _meta: { 'x/y': 1 } } }]);
  expect(part.told).toEqual([]);
});

test('of several servers, forwards those of the only one with an unknown extension', async () => {
  const extensions = { 'com.acme/coffee': {} };
  const brewing = createWorker('left', { era: 'legacy', capabilities: { extensions } });
  const { connect, say } = await open([brewing, legacy('right')], 'prefixed');
  const client = await connect();
  say('right', 'notifications/coffee/brewed', { by: 'right' });
  say('left', 'notifications/coffee/brewed', { by: 'left' });
  await client.notify('notifications/coffee/empty', { cup: 1 });
  await client.request('ping');
  expect(client.told).toEqual([{ method: 'notifications/coffee/brewed', params: { by: 'left' } }]);
  expect(brewing.notices).toEqual([{ method: 'notifications/coffee/empty', params: { cup: 1 } }]);
});

test('forwards a notification about a task only to its creator, with the creator’s id', async () => {
  const { connect, say } = await open([legacy('left'), legacy('right')], 'prefixed');
  const [maker, other] = [await connect({ role: 'part' }), await connect()];
  await maker.request('tools/call', { ...asTask, name: 'mcp__right__work' });
  for (const server of ['left', 'right']) {
    say(server, 'notifications/tasks/status', { taskId: 'task-1', status: 'completed' });
  }
  for (const client of [maker, other]) await client.request('ping');
  const params = { taskId: 'mcp+right:task-1', status: 'completed' };
  expect(maker.told).toEqual([{ method: 'notifications/tasks/status', params }]);
  expect(other.told).toEqual([]);
});

test('forwards no notification from an unknown server or with rules of its own', async () => {
  const { connect, say } = await open([legacy('left'), legacy('right')], 'prefixed');
  const client = await connect();
  say('left', 'notifications/acme/brewed', {});
  const { connect: connectToOne, say: sayAlone } = await open([legacy('left')]);
  const alone = await connectToOne();
  for (const method of ['notifications/cancelled', 'notifications/message', 'notifications/tasks/status']) {
    sayAlone('left', method, { requestId: 1, level: 'info', data: 'x', taskId: 'of nobody' });
  }
  for (const each of [client, alone]) await each.request('ping');
  expect([client.told, alone.told]).toEqual([[], []]);
});

test('forwards a client’s unknown notification if it may use the whole server', async () => {
  const worker = legacy('left');
  const { connect } = await open([worker]);
  for (const audience of [{}, { role: 'part' }]) {
    const client = await connect(audience);
    await client.notify('notifications/acme/empty', { cup: 1 });
    await client.notify('notifications/roots/list_changed', {});
    await client.request('ping');
  }
  expect(worker.notices).toEqual([{ method: 'notifications/acme/empty', params: { cup: 1 } }]);
});
