import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, type GatewayOptions, gatewayCapabilities, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import type { RoleRule } from '@x/mcp-registry/roles';
import { expectNoLeaks, serveOnLoopback, startExtensionsHttp, testServer } from '@x/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

/** Closed after each test. */
const opened: AsyncDisposable[] = [];
/** Closed after all of them. */
const shared: AsyncDisposable[] = [];
const closeAll = async (all: AsyncDisposable[]) => {
  for (const each of all.splice(0).reverse()) await each[Symbol.asyncDispose]();
};
afterEach(() => closeAll(opened));
afterAll(async () => {
  await closeAll(shared);
  await expectNoLeaks();
});

const APP = 'ui://app/main.html';
const MIME = { mimeTypes: ['text/html;profile=mcp-app'] };
/** Of methods that the SDK does not know. */
const ANY_RESULT = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };
const TOKEN = 'token-of-this-test';

interface Opening extends Partial<GatewayOptions> {
  readonly roles?: readonly RoleRule[];
  readonly role?: string;
  /** Servers by URL instead of stdio. */
  readonly isByUrl?: boolean;
  /** Servers with an extension of their own. */
  readonly brewing?: readonly string[];
}

/** Servers that are started once for all tests. None of them keeps anything of a client. */
const started = new Map<string, Promise<ReturnType<typeof createClientManager>>>();

function serversOf(...which: Parameters<typeof startServers>) {
  const key = JSON.stringify(which);
  const manager = started.get(key) ?? startServers(...which);
  started.set(key, manager);
  return manager;
}

async function startServers(names: readonly string[], isByUrl: boolean, brewing: readonly string[]) {
  const servers = await Promise.all(
    names.map(async (name) => {
      const flags = ['--name', name, ...(brewing.includes(name) ? ['--brews'] : [])];
      if (!isByUrl) return { name, autoStart: true, ...testServer('extensions', ...flags) };
      const server = await startExtensionsHttp(...flags);
      shared.push(server);
      return { name, autoStart: true, url: server.url };
    }),
  );
  const manager = createClientManager({ servers }, { capabilities: gatewayCapabilities });
  shared.push(manager);
  await manager.start();
  return manager;
}

async function open(
  names: readonly string[],
  { roles = [], role, isByUrl = false, brewing = [], ...options }: Opening = {},
) {
  const manager = await serversOf(names, isByUrl, brewing);
  const registry = createRegistry({ roles });
  const gateway = createGateway({ registry, upstreams: manager, ...options });
  opened.push(registry, gateway);
  await Promise.all(manager.servers().map((server) => registry.attach(server).ready));
  const audience = role === undefined ? {} : { role };
  const connect = (way: Way, extensions: object = { 'io.modelcontextprotocol/ui': MIME }) =>
    connectTo(gateway, way, { extensions, audience });
  return { connect };
}

type Way = `${'stdio' | 'HTTP'}, ${'modern' | 'legacy' | '1.x'}`;

const ways: readonly Way[] = ['stdio, modern', 'stdio, legacy', 'HTTP, modern', 'HTTP, legacy', 'HTTP, 1.x'];

async function connectTo(
  gateway: ReturnType<typeof createGateway>,
  way: Way,
  { extensions, audience }: { readonly extensions: object; readonly audience: { readonly role?: string } },
) {
  const info = { name: 'host', version: '1.0.0' };
  const capabilities = { extensions } as Loose;
  const versionNegotiation = { mode: way.endsWith('modern') ? ({ pin: '2026-07-28' } as const) : ('legacy' as const) };
  const isOld = way.endsWith('1.x');
  const client = isOld ? new ClientV1(info, { capabilities }) : new Client(info, { capabilities, versionNegotiation });
  if (way.startsWith('stdio')) {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    opened.push(gateway.serve({ ...audience, transport: serverSide }));
    await client.connect(clientSide as Loose);
  } else {
    const { origin, close } = await serveOnLoopback(toNodeListener(gateway.handler({ token: TOKEN }, () => audience)));
    opened.push({ [Symbol.asyncDispose]: close });
    const url = new URL('/mcp', origin);
    const options = { requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } } };
    await client.connect((isOld ? new HttpV1(url, options) : new StreamableHTTPClientTransport(url, options)) as Loose);
  }
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  const request = (method: string, params: object = {}): Promise<Loose> =>
    (client as Loose).request({ method, params }, isOld ? ResultSchema : ANY_RESULT);
  return {
    capabilities: client.getServerCapabilities() as Loose,
    request,
    call: async (name: string): Promise<Loose> => request('tools/call', { name, arguments: {} }),
    tool: async (name: string) => (await request('tools/list')).tools.find((tool: Loose) => tool.name === name),
    text: async (uri: string) => (await request('resources/read', { uri })).contents[0].text,
  };
}

describe.each(ways)('%s', (way) => {
  test.each([
    ['two servers with stdio', ['clock', 'chart'], false],
    ['two servers by URL', ['clock', 'chart'], true],
    ['one server', ['clock'], false],
  ] as const)('the app of each server opens, and calls its server: %s', async (_, servers, isByUrl) => {
    const { connect } = await open(servers, { isByUrl });
    const host = await connect(way);
    expect(host.capabilities.extensions).toHaveProperty(['io.modelcontextprotocol/ui']);
    for (const server of servers) {
      const uri = `ui://mcp+${server}/app/main.html`;
      const tool = await host.tool(`mcp__${server}__show`);
      expect(tool._meta).toEqual({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });
      const { contents } = await host.request('resources/read', { uri });
      expect(contents).toMatchObject([{ uri, text: `<h1>${server}</h1>`, _meta: { ui: { prefersBorder: true } } }]);
      const { resources } = await host.request('resources/list');
      expect(resources.map((each: Loose) => each.uri)).toContain(uri);
      expect((await host.call(`mcp__${server}__show`))._meta).toMatchObject(tool._meta);
      const { content } = await host.call(`mcp__${server}__links`);
      expect(content).toMatchObject([{ uri }, { resource: { uri } }]);
      expect((await host.call(`of-${server}`)).content[0].text).toBe(`${server}: only here`);
      const { content: extensions } = await host.call(`mcp__${server}__extensions`);
      expect(JSON.parse(extensions[0].text)).toHaveProperty(['io.modelcontextprotocol/ui'], MIME);
    }
  });

  test('with as-is names, a single server is as it is', async () => {
    const host = await (await open(['clock'], { names: 'as-is' })).connect(way);
    expect((await host.tool('show'))._meta.ui.resourceUri).toBe(APP);
    expect(await host.text(APP)).toBe('<h1>clock</h1>');
    expect((await host.call('refresh')).content[0].text).toBe('clock: refreshed');
    const { skills } = await host.request('skills/list');
    expect(skills.map((each: Loose) => each.uri)).toEqual(['skill://greeting/SKILL.md', 'skill://of-clock/SKILL.md']);
  });

  test('a name that tools of two servers have is refused, and names both', async () => {
    const host = await (await open(['clock', 'chart'])).connect(way);
    await expect(host.call('refresh')).rejects.toThrow(/mcp__chart__refresh, mcp__clock__refresh/);
    await expect(host.text(APP)).rejects.toThrow('Resource not found');
    await expect(host.text('data://numbers')).rejects.toThrow('Resource not found');
  });

  test('a host without apps gets no tool by the name that its server gave it', async () => {
    const host = await (await open(['clock'])).connect(way, {});
    await expect(host.call('refresh')).rejects.toThrow('There is no tool named "refresh"');
    await expect(host.text('data://numbers')).rejects.toThrow('Resource not found');
  });

  test('an app reads the resources of its server by their own URIs', async () => {
    const host = await (await open(['clock'])).connect(way);
    expect(await host.request('resources/read', { uri: 'data://numbers' })).toMatchObject({
      contents: [{ uri: 'data://numbers', text: 'numbers of clock' }],
    });
    expect(await host.text(APP)).toBe('<h1>clock</h1>');
  });

  test('what a role may not use does not exist for its apps', async () => {
    const roles = [{ role: 'one', allowedTools: ['clock.show', 'clock.refresh'], allowedResources: [`clock.${APP}`] }];
    const both = await (await open(['clock', 'chart'], { roles, role: 'one' })).connect(way);
    const alone = await (await open(['clock'], { roles, role: 'one' })).connect(way);
    const outcomes = async (host: typeof both) =>
      Promise.all(
        [
          host.call('refresh'),
          host.call('of-clock'),
          host.call('of-chart'),
          host.call('never'),
          host.text(APP),
          host.text('data://numbers'),
          host.text('ui://mcp+chart/app/main.html'),
          host.request('skills/list'),
          host.request('skills/get', { uri: 'skill://mcp+chart/greeting/SKILL.md' }),
        ].map((asked) => asked.catch((error: Error) => error.message)),
      );
    const seen = await outcomes(both);
    expect(seen).toEqual(await outcomes(alone));
    expect(seen[0].content[0].text).toBe('clock: refreshed');
    expect(seen[1]).toBe(seen[3].replace('never', 'of-clock'));
    expect(seen[4]).toBe('<h1>clock</h1>');
    expect(seen[7].skills).toEqual([]);
  });

  test('the skills of all servers are listed and can be read', async () => {
    const host = await (await open(['clock', 'chart'])).connect(way);
    expect(host.capabilities.extensions).toHaveProperty(['io.modelcontextprotocol/skills'], { directoryRead: true });
    const { skills } = await host.request('skills/list');
    const uris: string[] = skills.map((each: Loose) => each.uri);
    expect(uris).toEqual([
      'skill://mcp+clock/greeting/SKILL.md',
      'skill://mcp+clock/of-clock/SKILL.md',
      'skill://mcp+chart/greeting/SKILL.md',
      'skill://mcp+chart/of-chart/SKILL.md',
    ]);
    for (const { uri, frontmatter, resources } of skills) {
      expect(await host.text(uri)).toContain(`name: ${frontmatter.name}`);
      expect((await host.request('skills/get', { uri })).skill).toMatchObject({ uri, resources });
      for (const file of resources) expect(await host.text(file.uri)).not.toBe('');
    }
    expect(await host.text('skill://mcp+chart/greeting/references/words.md')).toBe('Words of chart\n');
    const { resources: folder } = await host.request('resources/directory/read', { uri: 'skill://mcp+chart/greeting' });
    expect(folder.map((each: Loose) => each.uri)).toContain('skill://mcp+chart/greeting/SKILL.md');
    await expect(host.request('skills/get', { uri: 'skill://greeting/SKILL.md' })).rejects.toThrow('not found');
  });

  test('with as-is names, a skill is that of the first server that has it', async () => {
    const host = await (await open(['clock', 'chart'], { names: 'as-is' })).connect(way);
    const { skills } = await host.request('skills/list');
    for (const { uri } of skills) expect(await host.text(uri)).toContain('name: ');
    expect(skills.map((each: Loose) => each.uri)).toContain('skill://of-chart/SKILL.md');
    expect(await host.text('skill://of-chart/references/../SKILL.md')).toContain('of-chart');
  });

  test('an unknown extension of one server passes, and one of two servers is refused', async () => {
    const one = await (await open(['clock', 'chart'], { brewing: ['chart'] })).connect(way);
    expect(one.capabilities.extensions).toHaveProperty(['com.acme/coffee'], { beans: 2 });
    expect(await one.request('coffee/brew', { cups: 3 })).toMatchObject({ by: 'chart', cups: 3 });
    const two = await (await open(['clock', 'chart'], { brewing: ['clock', 'chart'] })).connect(way);
    expect(two.capabilities.extensions).not.toHaveProperty(['com.acme/coffee']);
    await expect(two.request('coffee/brew')).rejects.toThrow(
      'Several servers may have the method "coffee/brew": clock, chart',
    );
  });
});

test.each(['search', 'full'] as const)('a model finds and calls no tool that is only for apps: %s', async (surface) => {
  const host = await (await open(['clock'], { surface })).connect('stdio, modern');
  for (const args of [{ query: 'refresh the chart' }, { query: '*' }, { query: 'mcp__clock__refresh' }]) {
    const found = await host.request('tools/call', { name: 'search_mcp_tools', arguments: args });
    expect(JSON.stringify(found)).not.toContain('clock__refresh');
  }
  expect((await host.call('mcp__clock__refresh')).content[0].text).toBe('clock: refreshed');
  if (surface === 'full') return;
  const byName = { name: 'call_mcp_tool', arguments: { name: 'mcp__clock__refresh' } };
  expect(JSON.stringify(await host.request('tools/call', byName))).toContain('which is for the app of its server');
});
