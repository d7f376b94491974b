import { createRegistry } from '@x/mcp-registry';
import { createListSource, type ListSource, tool } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import type { GatewayProblem } from '../../../src/gateway/upstream.js';
import { type GatewayClient, gatewayWays } from '../helpers/gateway-client.js';
import { createPlainUpstream } from '../helpers/plain-upstream.js';
import { connectRaw } from '../helpers/raw-clients.js';
import { openSdkUpstreams } from '../helpers/sdk-upstreams.js';
import { createShelf } from '../helpers/shelf-server.js';
import { createWorker, upstreamsOf } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const [, , stdioV1] = gatewayWays;

async function open(titles: readonly string[], options: Partial<GatewayOptions> = {}) {
  const registry = createRegistry({ roles: [{ role: 'right', allowedTools: ['right'] }] });
  const shelves = titles.map(createShelf);
  const servers = Object.fromEntries(titles.map((title, index) => [title, shelves[index]?.server]));
  const upstreams = await openSdkUpstreams(registry, servers as never);
  const problems: GatewayProblem[] = [];
  const gateway = createGateway({ registry, upstreams, onProblem: (problem) => problems.push(problem), ...options });
  opened.push(registry, upstreams, gateway);
  const connect = async (role?: string) => {
    const client = (await stdioV1?.connect(gateway, role === undefined ? {} : { role })) as GatewayClient;
    opened.push(client);
    return client;
  };
  return { gateway, upstreams, registry, problems, shelves, connect };
}

const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);

test('with as-is names, a single server looks as without a gateway', async () => {
  const { gateway, connect, shelves } = await open(['left'], { names: 'as-is' });
  expect(await gateway.collisions()).toEqual([]);
  const client = await connect();
  expect(client.info.version).toMatchObject({ name: 'shelf-left', version: '3.0.0' });
  expect(client.info.instructions).toBe('Read left');
  expect(names((await client.request('tools/list')).tools)).toEqual(['find', 'only_left', 'refuse', 'wait']);
  const { content } = await client.request('tools/call', { name: 'find', arguments: {} });
  expect(content[1]).toEqual({ type: 'resource_link', uri: 'book:///one', name: 'One' });
  expect((await client.request('resources/list')).resources).toEqual(shelves[0]?.books);
  const { contents } = await client.request('resources/read', { uri: 'book:///never-listed' });
  expect(contents).toEqual([{ uri: 'book:///never-listed', text: 'left: book:///never-listed' }]);
  expect(names((await client.request('prompts/list')).prompts)).toEqual(['summary', 'odd name / 1']);
  expect((await client.request('prompts/get', { name: 'summary' })).messages).toHaveLength(2);
  await client.subscribe('book:///one');
  await shelves[0]?.update('book:///one/page/2');
  expect(await client.next('notifications/resources/updated')).toEqual({ uri: 'book:///one/page/2' });
  expect(await client.next('notifications/message')).toEqual({ level: 'info', logger: 'desk', data: 'left looks' });
});

test('with as-is names, a name of two servers is reported and not served', async () => {
  const { gateway, connect, problems } = await open(['left', 'right'], { names: 'as-is' });
  const servers = ['left', 'right'];
  expect(await gateway.collisions()).toEqual([
    { kind: 'tools', name: 'find', servers },
    { kind: 'tools', name: 'refuse', servers },
    { kind: 'tools', name: 'wait', servers },
    { kind: 'resources', name: 'book:///one', servers },
    { kind: 'resources', name: 'book:///two', servers },
    { kind: 'resourceTemplates', name: 'book:///{name}{?page}', servers },
    { kind: 'prompts', name: 'summary', servers },
    { kind: 'prompts', name: 'odd name / 1', servers },
  ]);
  expect(problems.map(({ code, message }) => [code, message.includes('left, right')])).toEqual(
    Array(5).fill(['name-collision', true]),
  );
  const client = await connect();
  expect(names((await client.request('tools/list')).tools)).toEqual(['only_left', 'only_right']);
  for (const name of ['find', 'mcp__left__find', 'search_mcp_tools']) {
    await expect(client.request('tools/call', { name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  }
  await expect(client.request('resources/read', { uri: 'book:///one' })).rejects.toMatchObject({ code: -32_002 });
  await expect(client.request('prompts/get', { name: 'summary' })).rejects.toMatchObject({ code: -32_602 });
});

describe('with as-is names, tools of two servers with the same name', () => {
  async function openLists() {
    const registry = createRegistry();
    const [left, right] = [createListSource('left', [tool('find')]), createListSource('right', [tool('seek')])];
    for (const source of [left, right]) await registry.attach(source).ready;
    const problems: string[] = [];
    const onProblem = ({ code, message }: GatewayProblem) => {
      if (code === 'name-collision' && !message.includes('a:1')) problems.push(message);
    };
    const gateway = createGateway({
      registry,
      upstreams: upstreamsOf(createWorker('left'), createWorker('right')) as never,
      names: 'as-is',
      onProblem,
    });
    const client = await connectRaw(gateway);
    opened.push(registry, gateway, client);
    const offer = async (source: ListSource, ...offered: readonly string[]) => {
      const changed = new Promise<void>((resolve) => registry.events.on('tools-changed', () => resolve()));
      source.offer(offered.map((name) => tool(name)));
      await changed;
    };
    const listed = async () => names((await client.request('tools/list')).result.tools);
    const asked = async () => (await gateway.collisions()).filter(({ kind }) => kind === 'tools');
    return { asked, left, right, problems, client, offer, listed };
  }
  const told = '"find" of right is not served, because the name is of left, which had it first';

  test('are reported as they arise, and stay with the first server', async () => {
    const { asked, right, problems, offer, listed, client } = await openLists();
    expect(await asked()).toEqual([]);
    expect(await listed()).toEqual(['find', 'seek']);
    await offer(right, 'find');
    expect(problems).toEqual([told]);
    expect(await listed()).toEqual(['find']);
    const { result } = await client.request('tools/call', { name: 'find', arguments: {} });
    expect(result.content[0].text).toBe('left ran find');
    expect(problems).toEqual([told]);
    await offer(right, 'seek');
    expect(await listed()).toEqual(['find', 'seek']);
    await offer(right, 'find');
    expect(problems).toEqual([told, told]);
  });

  test('are reported with the first list, unless collisions() was called before', async () => {
    const { right, problems, offer, listed } = await openLists();
    await offer(right, 'find', 'seek');
    expect(problems).toEqual([]);
    for (let count = 0; count < 2; count++) expect(await listed()).toEqual(['find', 'seek']);
    expect(problems).toEqual([told]);
  });

  test('are reported once after collisions()', async () => {
    const { asked, right, problems, offer, listed } = await openLists();
    await offer(right, 'find');
    expect(await asked()).toEqual([{ kind: 'tools', name: 'find', servers: ['left', 'right'], owner: 'left' }]);
    expect(await listed()).toEqual(['find']);
    expect(problems).toEqual([]);
  });
});

test('with as-is names, a role that may use one of two servers sees no collision', async () => {
  const { connect } = await open(['left', 'right'], { names: 'as-is' });
  const client = await connect('right');
  expect(names((await client.request('tools/list')).tools)).toEqual(['find', 'only_right', 'refuse', 'wait']);
  expect((await client.request('resources/read', { uri: 'book:///one' })).contents).toEqual([
    { uri: 'book:///one', text: 'right: book:///one' },
  ]);
  expect((await client.request('prompts/get', { name: 'summary' })).messages[0].content.text).toMatch(/^right/);
});

test('with as-is names, an unlisted resource belongs to the server with a matching template', async () => {
  const { connect, shelves } = await open(['left', 'right'], { names: 'as-is' });
  for (const [index, scheme] of ['left', 'right'].entries()) {
    const { server } = shelves[index] ?? createShelf('none');
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: `${scheme}:///{name}`, name: scheme }],
    }));
  }
  const client = await connect();
  const { contents } = await client.request('resources/read', { uri: 'right:///new' });
  expect(contents[0].text).toBe('right: right:///new');
  await expect(client.request('resources/read', { uri: 'up:///new' })).rejects.toMatchObject({ code: -32_002 });
});

test('links are rewritten in a result of call_mcp_tool', async () => {
  const { connect } = await open(['left', 'right'], { surface: 'search' });
  const client = await connect();
  expect(names((await client.request('tools/list')).tools)).toEqual(['call_mcp_tool', 'search_mcp_tools']);
  const call = { name: 'mcp__right__find', arguments: {} };
  const { content } = await client.request('tools/call', { name: 'call_mcp_tool', arguments: call });
  expect(content[1].uri).toBe('mcp+right:book:///one');
});

test('with as-is names, a single server declares its own capabilities, and all of them before it is connected', async () => {
  const { upstreams, connect } = await open(['left'], { names: 'as-is' });
  upstreams.remove('left');
  const plain = createPlainUpstream('plain');
  upstreams.add(plain);
  expect((await connect()).info.capabilities).toEqual({
    tools: { listChanged: true },
    resources: { listChanged: true },
  });
  plain.session = undefined;
  expect(Object.keys((await connect()).info.capabilities).toSorted()).toEqual([
    'completions',
    'extensions',
    'logging',
    'prompts',
    'resources',
    'tools',
  ]);
});

test('refuses invalid options by name', async () => {
  const { registry, upstreams } = await open(['left']);
  const refused = (options: object) => () => createGateway({ registry, upstreams, ...options } as GatewayOptions);
  expect(refused({ registry: {} })).toThrow(/^registry must/);
  expect(refused({ upstreams: [] })).toThrow(/^upstreams must/);
  expect(refused({ names: 'numbered' })).toThrow(/^names must/);
  expect(refused({ names: 'as-is', surface: 'search' })).toThrow(/^surface must be "full" where names are as-is/);
  expect(refused({ listTimeoutMs: 0 })).toThrow(/^listTimeoutMs must/);
  expect(refused({ onProblem: 'log' })).toThrow(/^onProblem must/);
  expect(refused({ pageSize: 0 })).toThrow(/^pageSize must/);
});

test('closing ends connections and subscriptions, but not the servers', async () => {
  const { gateway, connect, shelves, upstreams, registry } = await open(['left']);
  const client = await connect();
  await client.subscribe('mcp+left:book:///one');
  await gateway.close();
  await gateway.close();
  await expect(client.request('resources/list')).rejects.toThrow();
  await expect.poll(() => shelves[0]?.subscribed.size).toBe(0);
  expect(() => gateway.serve()).toThrow(/closed/);
  expect((await upstreams.servers()[0]?.listResources({}))?.items).toHaveLength(2);
  expect(registry.list().length).toBeGreaterThan(1);
});

test('with as-is names, a listed resource that also matches another server’s template is not served', async () => {
  const { gateway, connect, problems, shelves } = await open(['left', 'right'], { names: 'as-is' });
  const [left, right] = shelves.map(({ server }) => server);
  left?.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'book:///one', name: 'One' }] }));
  left?.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  right?.setRequestHandler('resources/list', () => ({ resources: [] }));
  const template = { uriTemplate: 'book:///{name}', name: 'book' };
  right?.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }));
  const client = await connect();
  expect((await client.request('resources/list')).resources).toEqual([]);
  await expect(client.request('resources/read', { uri: 'book:///one' })).rejects.toMatchObject({ code: -32_002 });
  const { contents } = await client.request('resources/read', { uri: 'book:///two' });
  expect(contents[0].text).toBe('right: book:///two');
  expect(problems).toMatchObject([{ code: 'name-collision', message: expect.stringContaining('left, right') }]);
  const collision = { kind: 'resources', name: 'book:///one', servers: ['left', 'right'] };
  expect(await gateway.collisions()).toContainEqual(collision);
  // Without the other server there is no collision.
  const own = await connect('right');
  expect((await own.request('resources/read', { uri: 'book:///one' })).contents[0].text).toBe('right: book:///one');
});
