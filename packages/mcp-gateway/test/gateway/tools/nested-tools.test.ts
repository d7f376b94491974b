import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { publicName } from '@x/internal/names';
import { createRegistry } from '@x/mcp-registry';
import { limitResults } from '@x/mcp-registry/interceptors';
import { textResult, tool } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/index.js';
import { modernRequest, postRequest } from '../../helpers/http-requests.js';
import { silentUpstreams } from '../helpers/plain-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const servers = {
  git: ['status', 'a'.repeat(70), 'mcp__git__status'],
  web: ['status', 'search_mcp_tools', 'größe'],
};

/** A gateway over `servers`, for another gateway. Tools answer with their server's name and their own. */
async function nestedGateway() {
  const registry = createRegistry();
  for (const [name, tools] of Object.entries(servers)) {
    const source = {
      name,
      listTools: async () => tools.map((each) => tool(each)),
      callTool: async (called: string) => ({ content: [{ type: 'text' as const, text: `${name} ${called}` }] }),
    };
    await registry.attach(source).ready;
  }
  const gateway = createGateway({ registry, upstreams: silentUpstreams(), names: 'nested' });
  const handler = gateway.handler({ allowAnonymous: true });
  opened.push(registry, gateway);
  return async (method: string, params: Readonly<Record<string, unknown>> = {}) => {
    const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named };
    return (await (await handler.fetch(postRequest(modernRequest(method, params), headers))).json()) as {
      readonly result?: {
        readonly tools?: readonly { readonly name: string }[];
        readonly content?: readonly { readonly text: string }[];
      };
      readonly error?: { readonly message: string };
    };
  };
}

const pairs = Object.entries(servers).flatMap(([server, tools]) => tools.map((own) => [server, own] as const));

test('nested names are the public ones without their prefix, and no tool of the registry itself is there', async () => {
  const ask = await nestedGateway();
  const { result } = await ask('tools/list');
  const nested = pairs.map(([server, own]) => publicName(server, own).replace(/^mcp__/, ''));
  expect(result?.tools?.map(({ name }) => name)).toEqual(nested.toSorted());
  expect(nested).toContain('git__status');
});

test.each(pairs)('a call by its nested name reaches %s %s', async (server, own) => {
  const ask = await nestedGateway();
  const name = publicName(server, own).replace(/^mcp__/, '');
  const { result } = await ask('tools/call', { name, arguments: {} });
  expect(result?.content).toEqual([{ type: 'text', text: `${server} ${own}` }]);
});

test.each(['mcp__git__status', 'search_mcp_tools', 'status', 'git__missing'])('%s is no nested name', async (name) => {
  const ask = await nestedGateway();
  const { error, result } = await ask('tools/call', { name, arguments: {} });
  expect(error?.message ?? JSON.stringify(result)).toContain('There is no tool named');
});

test('another gateway names each of them once, and differently', () => {
  const outer = pairs.map(([server, own]) => publicName('build', publicName(server, own).replace(/^mcp__/, '')));
  expect(outer).toContain('mcp__build__git__status');
  expect(new Set(outer).size).toBe(pairs.length);
});

test('nested names have no search', () => {
  const registry = createRegistry();
  opened.push(registry);
  const open = () => createGateway({ registry, upstreams: silentUpstreams(), names: 'nested', surface: 'search' });
  expect(open).toThrow('surface must be "full" where names are nested, got "search"');
});

test('behind another gateway with limits of its own, a preview is read with the tool of its gateway', async () => {
  const long = Array.from({ length: 6_000 }, (_, line) => `line ${line}`).join('\n');
  const inner = createRegistry({ interceptors: [limitResults()] });
  inner.register({ name: 'own', description: '' }, () => 'of the app itself');
  const log = { name: 'logs', listTools: async () => [tool('log')], callTool: async () => textResult(long) };
  await inner.attach(log).ready;
  const nested = createGateway({ registry: inner, upstreams: silentUpstreams(), names: 'nested' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  nested.serve({ transport: serverSide });
  const client = new Client({ name: 'outer', version: '1.0.0' });
  await client.connect(clientSide);
  const outer = createRegistry({ interceptors: [limitResults()] });
  opened.push(inner, nested, { [Symbol.asyncDispose]: () => client.close() }, outer);
  const listTools = async () => (await client.listTools()).tools;
  const callTool = async (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  await outer.attach({ name: 'build', listTools, callTool } as never).ready;
  expect(outer.list().map(({ name }) => name)).toEqual([
    'mcp__build__logs__log',
    'mcp__build__read_mcp_result',
    'read_mcp_result',
    'search_mcp_tools',
  ]);
  const preview = JSON.stringify(await outer.call('mcp__build__logs__log'));
  const id = /read_mcp_result \{"id":"(\w+)"/.exec(preview.replaceAll('\\', ''))?.[1];
  const page = await outer.call('mcp__build__read_mcp_result', { id, offset: 30_000 });
  expect(page.content[0]).toMatchObject({ text: expect.stringContaining(long.slice(30_000, 32_000)) });
  const elsewhere = await outer.call('read_mcp_result', { id });
  expect(elsewhere).toMatchObject({ isError: true });
  expect(JSON.stringify(elsewhere)).toContain('A preview of another gateway is read with its own tool');
});
