import { publicName } from '@x/internal/names';
import { createRegistry } from '@x/mcp-registry';
import { tool } from '@x/test-servers';
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
