import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { type MountRegistryOptions, mountRegistry } from '../../src/sdk-v1.js';
import { connectV1 } from '../helpers/test-client.js';

const info = { name: 'app', version: '1.0.0' };
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function registryOf(...names: readonly string[]): Registry {
  const registry = createRegistry();
  for (const name of names) registry.register({ name, description: '' }, () => `mounted ${name}`);
  return registry;
}

async function connect(server: Server | McpServer) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  return connectV1(clientSide);
}

/** A server of the lower kind that lists its own tools in two pages. */
function pagedServer(): Server {
  const server = new Server(info, { capabilities: { tools: {} } });
  const own = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    params?.cursor === '2' ? { tools: [own('zebra')] } : { tools: [own('apple')], nextCursor: '2' },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => said(`own ${params.name}`));
  return server;
}

const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
const textOf = (result: { content: readonly { text: string }[] }) => result.content[0]?.text;

describe('a server with its own tools', () => {
  test('serves both, its own under their names, and may add more', async () => {
    const server = new McpServer(info);
    server.registerTool('own', { description: 'Own' }, () => said('own'));
    mountRegistry(server, registryOf('other'));
    await using client = await connect(server);
    expect(namesOf(await client.listAll())).toEqual(['own', 'other', 'search_mcp_tools']);
    expect(textOf(await client.call({ name: 'own' }))).toBe('own');
    expect(textOf(await client.call({ name: 'other' }))).toBe('mounted other');

    const changed = client.nextChange();
    const later = server.registerTool('later', {}, () => said('later'));
    await changed;
    expect(namesOf(await client.listAll())).toEqual(['own', 'later', 'other', 'search_mcp_tools']);
    later.remove();
    expect(namesOf(await client.listAll())).toEqual(['own', 'other', 'search_mcp_tools']);
    await expect(client.call({ name: 'later' })).rejects.toMatchObject({ code: -32602 });
  });

  test('may add its first tool after the mount', async () => {
    const server = new McpServer(info);
    mountRegistry(server, registryOf());
    server.registerTool('own', {}, () => said('own'));
    await using client = await connect(server);
    expect(namesOf(await client.listAll())).toEqual(['own', 'search_mcp_tools']);
  });

  test('is refused if the view has the same name, and stays unchanged', async () => {
    const server = new McpServer(info);
    server.registerTool('same', {}, () => said('own'));
    expect(() => mountRegistry(server, registryOf('same'))).toThrow(
      expect.objectContaining({
        code: 'duplicate-tool',
        tool: 'same',
        message: expect.stringContaining('already has a tool named same'),
      }),
    );
    await using client = await connect(server);
    expect(namesOf(await client.listAll())).toEqual(['same']);
  });

  test('that adds the name of a mounted tool serves its own, and onError is called once', async () => {
    const server = new McpServer(info);
    const errors: Error[] = [];
    mountRegistry(server, registryOf('same'), { onError: (error) => errors.push(error) });
    server.registerTool('same', {}, () => said('own'));
    await using client = await connect(server);
    expect(namesOf(await client.listAll())).toEqual(['same', 'search_mcp_tools']);
    expect(namesOf(await client.listAll())).toEqual(['same', 'search_mcp_tools']);
    expect(textOf(await client.call({ name: 'same' }))).toBe('own');
    expect(errors).toMatchObject([{ code: 'duplicate-tool', tool: 'same' }]);
  });

  test('keeps the pages of its own listing', async () => {
    const server = pagedServer();
    mountRegistry(server, registryOf('a', 'b', 'zebra'), { pageSize: 2 });
    await using client = await connect(server);
    expect(namesOf(await client.listAll())).toEqual(['apple', 'zebra', 'a', 'b', 'search_mcp_tools']);
    expect(textOf(await client.call({ name: 'zebra' }))).toBe('own zebra');
    expect(textOf(await client.call({ name: 'b' }))).toBe('mounted b');
    expect(textOf(await client.call({ name: 'unheard-of' }))).toBe('own unheard-of');
    await expect(client.listPage('mounted.x')).rejects.toMatchObject({ code: -32602 });
    await expect(client.listPage('2')).rejects.toMatchObject({ code: -32602 });
  });

  test('is listed before the first call, so that its own tools come first there, too', async () => {
    const server = pagedServer();
    mountRegistry(server, registryOf('zebra'));
    await using client = await connect(server);
    expect(textOf(await client.call({ name: 'zebra' }))).toBe('own zebra');
  });

  test('serves its own tool from a page that the client has not read, or not again', async () => {
    const server = pagedServer();
    mountRegistry(server, registryOf('zebra'));
    await using client = await connect(server);
    await client.listPage(undefined);
    expect(textOf(await client.call({ name: 'zebra' }))).toBe('own zebra');
    await client.listAll();
    await client.listPage(undefined);
    expect(textOf(await client.call({ name: 'zebra' }))).toBe('own zebra');
  });
});

describe('disposing a mount', () => {
  test('restores the server and notifies its client', async () => {
    const server = new McpServer(info);
    server.registerTool('own', {}, () => said('own'));
    const registry = registryOf('other');
    const mounted = mountRegistry(server, registry);
    await using client = await connect(server);
    const changed = client.nextChange();
    mounted[Symbol.dispose]();
    mounted[Symbol.dispose]();
    await changed;
    expect(namesOf(await client.listAll())).toEqual(['own']);
    // As an McpServer itself answers; until 1.21 with an error of the protocol.
    expect(await client.call({ name: 'other' }).catch(() => ({ isError: true }))).toMatchObject({ isError: true });
    registry.register({ name: 'later', description: '' }, () => '');
    await client.listAll();
    expect(client.changes()).toBe(1);
  });

  test('leaves a server without tools with none', async () => {
    const server = new Server(info, { capabilities: {} });
    mountRegistry(server, registryOf('other'))[Symbol.dispose]();
    await using client = await connect(server);
    await expect(client.listAll()).rejects.toMatchObject({ code: -32601 });
  });

  test('works in any order with several mounts', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const server = new McpServer(info);
      server.registerTool('own', {}, () => said('own'));
      const first = createRegistry();
      const second = createRegistry();
      await first.attach(createListSource('git', [tool('log')])).ready;
      await second.attach(createListSource('db', [tool('query')])).ready;
      const mounts = [mountRegistry(server, first), mountRegistry(server, second)];
      await using client = await connect(server);
      expect(new Set(namesOf(await client.listAll()))).toEqual(
        new Set(['own', 'mcp__git__log', 'search_mcp_tools', 'mcp__db__query']),
      );
      expect(textOf(await client.call({ name: 'mcp__git__log' }))).toBe('git ran log');
      expect(textOf(await client.call({ name: 'mcp__db__query' }))).toBe('db ran query');
      mounts[order[0] ?? 0]?.[Symbol.dispose]();
      const rest = order[0] === 0 ? 'mcp__db__query' : 'mcp__git__log';
      expect(namesOf(await client.listAll())).toEqual(['own', rest, 'search_mcp_tools']);
      mounts[order[1] ?? 0]?.[Symbol.dispose]();
      expect(namesOf(await client.listAll())).toEqual(['own']);
    }
  });

  test('does not happen with the connection, since another client may connect', async () => {
    const server = new McpServer(info);
    const registry = registryOf();
    mountRegistry(server, registry);
    const first = await connect(server);
    await first[Symbol.asyncDispose]();
    registry.register({ name: 'meanwhile', description: '' }, () => '');
    await using second = await connect(server);
    const changed = second.nextChange();
    registry.register({ name: 'later', description: '' }, () => '');
    await changed;
    expect(namesOf(await second.listAll())).toEqual(['later', 'meanwhile', 'search_mcp_tools']);
  });
});

test('a server whose app sets its own oninitialized notifies from the first listing on', async () => {
  const server = new McpServer(info);
  const registry = registryOf();
  mountRegistry(server, registry);
  server.server.oninitialized = () => {};
  await using client = await connect(server);
  await client.listAll();
  const changed = client.nextChange();
  registry.register({ name: 'later', description: '' }, () => '');
  await changed;
});

describe('a connected server', () => {
  test('can be mounted on if it has declared tools', async () => {
    const server = new McpServer(info, { capabilities: { tools: {} } });
    await using client = await connect(server);
    const changed = client.nextChange();
    mountRegistry(server, registryOf('other'));
    await changed;
    expect(namesOf(await client.listAll())).toEqual(['other', 'search_mcp_tools']);
  });

  test.each([
    ['McpServer', () => new McpServer(info)],
    ['Server', () => new Server(info, { capabilities: {} })],
  ])('is refused if it has declared otherwise: %s', async (_, create) => {
    const server = create();
    await using client = await connect(server);
    expect(() => mountRegistry(server, registryOf())).toThrow('mount the registry before connect()');
    expect(client.errors).toEqual([]);
  });
});

test('refuses an object that is not a server of 1.x', () => {
  const mount = (server: unknown, options?: MountRegistryOptions) => () =>
    mountRegistry(server as never, registryOf(), options);
  expect(mount(new McpServerV2(info))).toThrow('use @x/mcp-gateway');
  expect(mount({})).toThrow('server must be a Server or McpServer');
  expect(mount(new McpServer(info), { pageSize: 0 })).toThrow('pageSize must be');
  expect(mount(new McpServer(info), { surface: 'half' as never })).toThrow('surface must be');
});

test('refuses a call as a task', async () => {
  const server = new McpServer(info, { capabilities: { tasks: { requests: { tools: { call: {} } } } } });
  mountRegistry(server, registryOf('other'));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client(info);
  await client.connect(clientSide);
  const params = { name: 'other', arguments: {}, task: {} };
  await expect(client.callTool(params as never)).rejects.toMatchObject({ code: -32601 });
  await client.close();
});

test('structured results that 1.x cannot represent become text', async () => {
  const server = new McpServer(info);
  const registry = createRegistry();
  const listing = { outputSchema: { type: 'array', items: { type: 'number' } }, annotations: { readOnlyHint: true } };
  const answer = async () => ({ content: [], structuredContent: [1, 2] });
  await registry.attach(createListSource('math', [tool('list', listing)], answer)).ready;
  mountRegistry(server, registry);
  await using client = await connect(server);
  const [listed] = await client.listAll();
  expect(listed).not.toHaveProperty('outputSchema');
  expect(listed).toMatchObject({ annotations: { readOnlyHint: true } });
  expect(await client.call({ name: 'mcp__math__list' })).toEqual({ content: [{ type: 'text', text: '[1,2]' }] });
});

test('the search surface finds and calls unlisted tools', async () => {
  const server = new McpServer(info);
  mountRegistry(server, registryOf('other'), { surface: 'search' });
  await using client = await connect(server);
  expect(namesOf(await client.listAll())).toEqual(['call_mcp_tool', 'search_mcp_tools']);
  const call = { name: 'call_mcp_tool', arguments: { name: 'other', arguments: {} } };
  expect(textOf(await client.call(call))).toBe('mounted other');
  const itself = { name: 'call_mcp_tool', arguments: { name: 'call_mcp_tool', arguments: {} } };
  expect(await client.call(itself)).toMatchObject({ isError: true });
});
