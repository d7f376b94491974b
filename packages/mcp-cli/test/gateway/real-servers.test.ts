import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { type ClientManagerOptions, createClientManager, type StdioServerSpec } from '@x/mcp-client-manager';
import { createGateway, type GatewayOptions, type GatewayProblem } from '@x/mcp-gateway';
import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

const require = createRequire(import.meta.url);
const everything = {
  command: process.execPath,
  args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js')],
};
const shelf = testServer('resources-and-prompts');

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

type ServerFields = Omit<StdioServerSpec, 'name'>;

interface Opening extends Partial<GatewayOptions> {
  readonly roles?: RoleRules;
  readonly manager?: ClientManagerOptions;
}

async function open(
  servers: Readonly<Record<string, ServerFields>>,
  { roles = [], manager: tuned, ...options }: Opening = {},
) {
  const specs = Object.entries(servers).map(([name, server]) => ({ name, autoStart: true, ...server }));
  const manager = createClientManager({ servers: specs }, tuned);
  const registry = createRegistry({ roles });
  const problems: GatewayProblem[] = [];
  const gateway = createGateway({
    registry,
    upstreams: manager,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return { manager, registry, gateway, problems };
}

type Kind = 'modern' | 'legacy' | 'v1';

async function connect(kind: Kind, gateway: ReturnType<typeof createGateway>, role?: string) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = gateway.serve({ ...(role !== undefined && { role }), transport: serverSide as never });
  const info = { name: 'test', version: '1.0.0' };
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client: Loose =
    kind === 'v1' ? new ClientV1(info) : new Client(info, { versionNegotiation: { mode } as never });
  const told: { method: string; params: Loose }[] = [];
  const waiting: ((method: string) => void)[] = [];
  client.fallbackNotificationHandler = async ({ method, params }: Loose) => {
    told.push({ method, params });
    for (const wake of waiting.splice(0)) wake(method);
  };
  await client.connect(clientSide);
  opened.push({ [Symbol.asyncDispose]: () => client.close() }, serving);
  const next = async (method: string): Promise<Loose> => {
    for (;;) {
      const index = told.findIndex((notification) => notification.method === method);
      if (index !== -1) return told.splice(index, 1)[0]?.params;
      await new Promise((resolve) => waiting.push(resolve));
    }
  };
  return { client, next, told };
}

const kinds: readonly Kind[] = ['modern', 'legacy', 'v1'];

describe.each(kinds)('with a %s client', (kind) => {
  test('the instructions of the reference server and of another one arrive, and an override of a tool', async () => {
    const tools = { echo: { description: 'Says it again' }, 'get-sum': { hidden: true } };
    const { gateway } = await open({ everything: { ...everything, tools }, shelf });
    const { client } = await connect(kind, gateway);
    const sent: string = client.getInstructions();
    expect(sent).toMatch(/"everything":\n> \S/);
    expect(sent).toMatch(/\n\n"shelf":\n> Read before you write\.$/);
    expect(sent.length).toBeLessThan(4_300);
    const listed: { name: string; description: string }[] = (await client.listTools()).tools;
    expect(listed.find(({ name }) => name === 'mcp__everything__echo')?.description).toBe('Says it again');
    expect(listed.map(({ name }) => name)).not.toContain('mcp__everything__get-sum');
    const hidden = client.callTool({ name: 'mcp__everything__get-sum', arguments: { a: 1, b: 2 } });
    await expect(hidden).rejects.toThrow('There is no tool named');
  });

  test('everything that the reference server offers passes', async () => {
    const { gateway } = await open({ everything });
    const { client } = await connect(kind, gateway);
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(0);
    const read = await client.readResource({ uri: resources[0].uri });
    expect(read.contents[0].uri).toBe(resources[0].uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template: string = resourceTemplates.find((each: Loose) => each.uriTemplate.includes('/text/')).uriTemplate;
    const one = await client.readResource({ uri: template.replace(/\{[^}]*\}/, '1') });
    expect(one.contents[0].text).toContain('1');

    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }: Loose) => name);
    expect(names).toContain('mcp__everything__completable-prompt');
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'mcp__everything__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completed.completion.values).toContain('Engineering');
    const withResource = await client.getPrompt({
      name: 'mcp__everything__resource-prompt',
      arguments: { resourceType: 'Text', resourceId: '1' },
    });
    const embedded = withResource.messages.find(({ content }: Loose) => content.type === 'resource');
    expect(embedded.content.resource.uri).toMatch(/^mcp\+everything:demo:/);

    const linked = await client.callTool({ name: 'mcp__everything__get-resource-links', arguments: { count: 2 } });
    const uris = linked.content.flatMap((block: Loose) => (block.type === 'resource_link' ? [block.uri] : []));
    expect(uris).toHaveLength(2);
    for (const uri of uris) expect((await client.readResource({ uri })).contents[0].uri).toBe(uri);
    const image = await client.callTool({ name: 'mcp__everything__get-tiny-image', arguments: {} });
    expect(image.content.map(({ type }: Loose) => type)).toContain('image');
  });

  test('two servers that name everything the same are two', async () => {
    const { gateway } = await open({ left: shelf, right: shelf });
    const { client } = await connect(kind, gateway);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }: Loose) => uri)).toEqual([
      'mcp+left:test://a',
      'mcp+left:test://b',
      'mcp+right:test://a',
      'mcp+right:test://b',
    ]);
    const result = await client.readResource({ uri: 'mcp+right:test://a', _meta: { 'x/trace': 'abc' } });
    expect(result).toMatchObject({
      contents: [{ uri: 'mcp+right:test://a', text: 'the text of test://a' }],
      _meta: { received: { 'x/trace': 'abc' } },
      'x-extra': { kept: true },
    });
    await expect(client.readResource({ uri: 'mcp+right:test://missing' })).rejects.toMatchObject({
      code: kind === 'v1' ? -32_002 : -32_602,
      message: expect.stringContaining('Resource not found'),
    });
  });
});

describe.each(kinds)('with a %s client', (kind) => {
  test.each(['legacy', '2026-07-28'] as const)(
    'a server that speaks %s is behind it as any other',
    async (protocol) => {
      const { gateway, manager } = await open({ suite: { ...testServer('conformance'), protocol } });
      expect(manager.server('suite').session?.era).toBe(protocol === 'legacy' ? 'legacy' : 'modern');
      const { client } = await connect(kind, gateway);
      const { resources } = await client.listResources();
      const uri = 'mcp+suite:test://static-text';
      expect(resources.map((resource: Loose) => resource.uri)).toContain(uri);
      expect((await client.readResource({ uri })).contents[0]).toMatchObject({ uri, mimeType: 'text/plain' });
      const filled = await client.readResource({ uri: 'mcp+suite:test://template/123/data' });
      expect(filled.contents[0].text).toContain('123');
      const { prompts } = await client.listPrompts();
      expect(prompts.length).toBeGreaterThan(0);
      const { content } = await client.callTool({ name: 'mcp__suite__test_embedded_resource', arguments: {} });
      expect(content[0].resource.uri).toBe('mcp+suite:test://embedded-resource');
    },
  );
});

test('a server that is away does not keep the others from being listed', async () => {
  const { gateway, problems } = await open({
    shelf,
    gone: testServer('exits-at-once'),
    mute: { ...testServer('never-initializes'), limits: { startupTimeoutMs: 1_000 } },
  });
  const { client } = await connect('v1', gateway);
  const listed = await client.listResources();
  expect(listed.resources).toHaveLength(2);
  const incomplete = listed._meta['mcp-registry/incomplete'].map(({ server }: Loose) => server);
  expect(incomplete).toEqual(['gone', 'mute']);
  expect(problems.map(({ server }) => server).toSorted()).toEqual(['gone', 'mute']);
  const { tools, _meta } = await client.listTools();
  expect(tools.map(({ name }: Loose) => name)).toContain('mcp__shelf__echo');
  expect(_meta['mcp-registry/incomplete'].map(({ server }: Loose) => server)).toEqual(['gone', 'mute']);
  await gateway.close(); // with a server that hangs
});

test('what a server says in an error passes with its code and data, without the secrets that the manager knows', async () => {
  const redact = (text: string) => text.replaceAll('elsewhere', '***');
  const { gateway } = await open({ shelf }, { manager: { redact } });
  const { client } = await connect('v1', gateway);
  await expect(client.readResource({ uri: 'mcp+shelf:test://missing' })).rejects.toMatchObject({
    code: -32_002,
    message: expect.stringContaining('Resource not found'),
    data: { uri: 'test://missing', hint: 'look ***' },
  });
});

test.each(kinds)('images, sounds and the trace of a call pass: with a %s client', async (kind) => {
  const { gateway, manager } = await open({ everything, suite: testServer('conformance') });
  const { client } = await connect(kind, gateway);
  for (const [server, tool, type] of [
    ['everything', 'get-tiny-image', 'image'],
    ['suite', 'test_image_content', 'image'],
    ['suite', 'test_audio_content', 'audio'],
  ] as const) {
    const direct = await manager.callTool(server, tool, {});
    const { content } = await client.callTool({ name: `mcp__${server}__${tool}`, arguments: {} });
    expect(content).toEqual(direct.content);
    expect(content.map((block: Loose) => block.type)).toContain(type);
  }
});

test('a subscription lasts over the end of the process that had taken it', async () => {
  const { gateway, manager } = await open({ shelf });
  const { client, next } = await connect('legacy', gateway);
  await client.subscribeResource({ uri: 'mcp+shelf:test://a' });
  const subscriptions = async () =>
    (await client.callTool({ name: 'mcp__shelf__subscriptions', arguments: {} })).content[0].text;
  expect(await subscriptions()).toBe('["test://a"]');
  await manager.server('shelf').restart();
  expect(await next('notifications/resources/updated')).toEqual({ uri: 'mcp+shelf:test://a' });
  expect(await subscriptions()).toBe('["test://a"]');
  await next('notifications/resources/list_changed');
  await client.callTool({ name: 'mcp__shelf__touch', arguments: { uri: 'test://a' } });
  expect(await next('notifications/resources/updated')).toEqual({ uri: 'mcp+shelf:test://a' });
});

test('the log level that a client wants is that of the next process, too', async () => {
  const { gateway, manager } = await open({ shelf });
  const { client, next } = await connect('legacy', gateway);
  await client.setLoggingLevel('warning');
  const level = async () => (await client.callTool({ name: 'mcp__shelf__level', arguments: {} })).content[0].text;
  expect(await level()).toBe('warning');
  await manager.server('shelf').restart();
  await next('notifications/resources/list_changed');
  await expect.poll(level).toBe('warning');
  await client.callTool({ name: 'mcp__shelf__log', arguments: { level: 'info', data: 'too little' } });
  await client.callTool({ name: 'mcp__shelf__log', arguments: { level: 'error', data: 'enough' } });
  expect(await next('notifications/message')).toEqual({ level: 'error', logger: 'shelf', data: 'enough' });
});

test('forwards list-changed notifications for resources and prompts', async () => {
  const { gateway } = await open({ shelf });
  const { client, next } = await connect('v1', gateway);
  for (const list of ['resources', 'prompts']) {
    await client.callTool({ name: 'mcp__shelf__announce', arguments: { list } });
    await next(`notifications/${list}/list_changed`);
  }
});

test('reports a server that dies during a request with an error code', async () => {
  const { gateway, problems } = await open({ dies: testServer('dies-mid-call') });
  const { client } = await connect('v1', gateway);
  const { tools } = await client.listTools();
  const name = tools.map((tool: Loose) => tool.name).find((tool: string) => tool.startsWith('mcp__dies__'));
  expect(name).toBeDefined();
  const failed = await client.callTool({ name, arguments: {} });
  expect(failed.isError).toBe(true);
  expect(failed.content[0].text).toMatch(/did not respond: (outcome-unknown|connection-lost)$/);
  expect(problems.map(({ code }) => code)).toContain('request-failed');
});

test('as it is, the filesystem server answers as it does by itself', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-')));
  opened.push({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
  await writeFile(join(folder, 'a.txt'), 'the text');
  const entry = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  const { gateway, manager } = await open(
    { files: { command: process.execPath, args: [entry, folder] } },
    { names: 'as-is' },
  );
  expect(await gateway.collisions()).toEqual([]);
  const { client } = await connect('v1', gateway);
  const { session } = manager.server('files');
  expect(client.getServerVersion()).toMatchObject(session?.serverInfo ?? {});
  const tools = manager.server('files').listTools();
  expect((await client.listTools()).tools.map(({ name }: Loose) => name)).toEqual(
    tools.map(({ name }) => name).toSorted(),
  );
  const args = { path: join(folder, 'a.txt') };
  const direct = await manager.callTool('files', 'read_text_file', args);
  expect(await client.callTool({ name: 'read_text_file', arguments: args })).toEqual(direct);
});

test('a role holds for what the gateway passes on', async () => {
  const roles: RoleRules = [{ role: 'guest', allowedTools: ['left.echo'], allowedResources: ['right.test://a'] }];
  const { gateway } = await open({ left: shelf, right: shelf }, { roles });
  const { client } = await connect('v1', gateway, 'guest');
  expect((await client.listResources()).resources.map(({ uri }: Loose) => uri)).toEqual(['mcp+right:test://a']);
  expect((await client.listPrompts()).prompts).toEqual([]);
  for (const uri of ['mcp+right:test://b', 'mcp+left:test://a']) {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_002, data: { uri } });
  }
});
