import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ManagedServer } from '../../src/servers/managed-server.js';
import { deferred } from '../helpers/deferred.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, fixtureSpec, managerOf, managerWith, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const name = 'resources-and-prompts';
const subscriptions = async (server: ManagedServer): Promise<unknown> =>
  JSON.parse(textOf(await server.callTool('subscriptions')));

describe('a managed server', () => {
  test('lists and reads resources, and is started for that', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    const { items, completeness, problems } = await server.listResources();
    expect(items.map(({ uri }) => uri)).toEqual(['test://a', 'test://b']);
    expect(completeness).toBe('complete');
    expect(problems).toHaveLength(3);
    expect((await server.listResourceTemplates()).items).toEqual([{ uriTemplate: 'test://{name}', name: 'any' }]);
    expect((await server.readResource('test://a')).contents).toEqual([
      { uri: 'test://a', mimeType: 'text/plain', text: 'the text of test://a', 'x-extra': 1 },
    ]);
  });

  test('lists and gets prompts, and completes their arguments', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    expect((await server.listPrompts()).items).toHaveLength(1);
    expect(await server.getPrompt('greet', { who: 'Ada' })).toEqual({
      description: 'greet',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }],
    });
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    const context = { arguments: { tone: 'warm' } };
    const completed = await server.complete({ ref, argument: { name: 'who', value: 'A' }, context });
    expect(completed).toEqual({
      completion: { values: ['A!'], total: 1, hasMore: false },
      asked: { ref, context },
    });
  });

  test('sends the meta of its caller', async () => {
    await using manager = managerOf(serverSpec(name));
    const result = await manager.server(name).readResource('test://a', { meta: { traceparent: 'x' } });
    expect(result._meta).toEqual({ received: { traceparent: 'x' } });
  });

  test('emits log entries and changes as events', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    const events: unknown[] = [];
    for (const event of ['server-log', 'resources-changed', 'prompts-changed', 'resource-updated'] as const) {
      manager.events.on(event, (told) => void events.push([event, told]));
    }
    await server.setLogLevel('warning');
    expect(textOf(await server.callTool('level'))).toBe('warning');
    await server.callTool('log', { level: 'error', logger: 'disk', data: 'full' });
    await server.callTool('announce', { list: 'resources' });
    await server.callTool('announce', { list: 'prompts' });
    await server.callTool('touch', { uri: 'test://a' });
    expect(events).toEqual([
      ['server-log', { server: name, level: 'error', logger: 'disk', data: 'full', about: 'several' }],
      ['resources-changed', { server: name }],
      ['prompts-changed', { server: name }],
      ['resource-updated', { server: name, uri: 'test://a' }],
    ]);
  });

  test('that does not offer the feature fails with unsupported', async () => {
    await using manager = managerOf(serverSpec('echo'));
    const server = manager.server('echo');
    const asked = [
      server.listResources(),
      server.getPrompt('x'),
      server.setLogLevel('info'),
      server.subscribeResource('x:'),
    ];
    for (const failure of await Promise.all(asked.map(failureOf))) {
      expect(failure).toMatchObject({ code: 'unsupported', server: 'echo' });
    }
  });

  test('passes any request through, but not to tools that its spec keeps back', async () => {
    await using manager = managerOf(serverSpec('echo', [], { deniedTools: ['add'] }));
    const server = manager.server('echo');
    expect(await server.request('ping')).toEqual({});
    const { tools } = await server.request('tools/list');
    expect((tools as { name: string }[]).map((tool) => tool.name)).not.toContain('add');
    const refused = server.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    expect(await failureOf(refused)).toMatchObject({ code: 'unknown-tool' });
    expect(await failureOf(server.request('no/such'))).toMatchObject({ code: 'server-error', rpc: { code: -32_601 } });
  });

  test('gives a request no more time than it has', async () => {
    await using manager = managerOf(serverSpec('slow'), serverSpec('never-initializes'));
    const params = { name: 'wait', arguments: { ms: 60_000 } };
    const server = manager.server('slow');
    await server.start();
    expect(await failureOf(server.request('tools/call', params, { timeoutMs: 50 }))).toMatchObject({
      code: 'timed-out',
    });
    expect(JSON.parse(textOf(await server.callTool('cancelled')))).toHaveLength(1);
    const unready = manager.server('never-initializes').request('ping', {}, { timeoutMs: 50 });
    expect(await failureOf(unready)).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('not ready'),
    });
    expect(await failureOf(server.request('ping', {}, { timeoutMs: 0 }))).toBeInstanceOf(TypeError);
  });

  test('whose process dies during a request fails with outcome-unknown', async () => {
    await using manager = managerOf(serverSpec(name));
    const request = manager.server(name).request('tools/call', { name: 'exit', arguments: {} });
    expect(await failureOf(request)).toMatchObject({ code: 'outcome-unknown' });
  });
});

describe('a subscription to a resource', () => {
  test('lasts until it is ended', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    await server.subscribeResource('test://a');
    await server.subscribeResource('test://b');
    expect(await subscriptions(server)).toEqual(['test://a', 'test://b']);
    await server.unsubscribeResource('test://a');
    expect(await subscriptions(server)).toEqual(['test://b']);
  });

  test('outlives the process of its server, and is then said to have changed', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    await server.subscribeResource('test://a');
    await server.subscribeResource('test://b');
    await server.unsubscribeResource('test://b');
    const updated = deferred<unknown>();
    manager.events.on('resource-updated', updated.resolve);
    await server.restart();
    expect(await updated.promise).toEqual({ server: name, uri: 'test://a' });
    expect(await subscriptions(server)).toEqual(['test://a']);
  });

  test('outlives a refusal that passes, and ends when the resource is gone', async () => {
    const folder = await temporaryDirectory();
    const file = join(folder, 'asked');
    const asked = async (): Promise<string[]> => (await readFile(file, 'utf8')).trimEnd().split('\n');
    await using manager = managerOf(fixtureSpec('odd-server.mjs', ['plain', file]));
    const server = manager.server('fixture');
    const restarted = async (): Promise<unknown> => {
      const updated = deferred<unknown>();
      const listening = manager.events.on('resource-updated', updated.resolve);
      await server.restart();
      const told = await updated.promise;
      listening[Symbol.dispose]();
      return told;
    };
    await server.subscribeResource('odd:a');
    await writeFile(`${file}.down`, '');
    expect(await restarted()).toEqual({ server: 'fixture', uri: 'odd:a' });
    await rm(`${file}.down`);
    await restarted();
    await writeFile(`${file}.gone`, '');
    const before = (await asked()).length;
    await restarted();
    await server.restart();
    await server.callTool('act');
    expect(await asked()).toHaveLength(before + 1);
  });

  test('that is refused is not kept', async () => {
    await using manager = managerOf(serverSpec(name));
    const server = manager.server(name);
    expect(await failureOf(server.subscribeResource('test://secret'))).toMatchObject({ rpc: { code: -32_602 } });
    await server.restart();
    expect(await subscriptions(server)).toEqual([]);
  });
});

test('handlers of the manager answer every server, and know which one asks', async () => {
  const roots = ({ server }: { server: string }) => ({ roots: [{ uri: `file:///${server}` }] });
  const handlers = { roots: (_params: unknown, context: { server: string }) => roots(context) };
  await using manager = managerWith({ handlers }, serverSpec('asks-host'), serverSpec('modern-input-required'));
  const server = manager.server('asks-host');
  const asked = await server.callTool('ask', { method: 'roots/list' });
  expect(JSON.parse(textOf(asked))).toEqual({ result: { roots: [{ uri: 'file:///asks-host' }] } });
  await server.notifyRootsChanged();
  expect(textOf(await server.callTool('roots_changes'))).toBe('1');
  await server.notify('notifications/roots/list_changed', { any: 'thing' });
  expect(textOf(await server.callTool('roots_changes'))).toBe('2');
});

test("reports unknown notifications with the server's name, and sends none to a stopped server", async () => {
  await using manager = managerOf(serverSpec('floods-notifications'));
  const server = manager.server('floods-notifications');
  await server.notify('notifications/acme/empty');
  expect(server.state).toBe('stopped');
  const told: unknown[] = [];
  manager.events.on('server-notification', (event) => told.push(event));
  await server.callTool('flood', { count: 200, method: 'notifications/unheard-of' });
  expect(told).toHaveLength(200);
  expect(told[0]).toEqual({
    server: 'floods-notifications',
    method: 'notifications/unheard-of',
    params: { any: 'thing' },
  });
});

test('a result that does not fit its schema is refused, and schemas that cannot be used show in the status', async () => {
  await using manager = managerOf(serverSpec('structured'));
  const server = manager.server('structured');
  expect(await failureOf(server.callTool('wrong'))).toMatchObject({ code: 'invalid-result' });
  expect(textOf(await server.callTool('endless'))).toBe('ok');
  expect(server.status.catalogProblems).toEqual([expect.stringContaining('"endless"')]);
});
