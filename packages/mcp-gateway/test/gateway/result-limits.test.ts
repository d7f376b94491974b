import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { type CodeRunner, openCodeRunner } from '@x/mcp-registry/code';
import { limitResults } from '@x/mcp-registry/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createGateway } from '../../src/gateway/gateway.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const log = Array.from({ length: 6_000 }, (_, line) => `${line} GET /items/${line * 7} 200 in ${line % 90} ms`).join(
  '\n',
);
const rows = Array.from({ length: 8_000 }, (_, id) => ({ id, name: `row ${id}` }));

function createServer(): McpServer {
  const server = new McpServer({ name: 'logs', version: '1.0.0' });
  server.registerTool('log', { description: 'The log' }, () => ({ content: [{ type: 'text', text: log }] }));
  const outputSchema = z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) });
  server.registerTool('rows', { description: 'The rows', outputSchema }, () => ({
    content: [{ type: 'text', text: JSON.stringify({ rows }) }],
    structuredContent: { rows },
  }));
  for (const visibility of [['app'], ['app', 'model']]) {
    const _meta = { ui: { resourceUri: 'ui://logs/chart', visibility } };
    server.registerTool(`chart_${visibility.length}`, { description: 'The chart', _meta }, () => ({
      content: [{ type: 'text', text: 'A chart' }],
      structuredContent: { rows },
    }));
  }
  return server;
}

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

interface OpenOptions {
  readonly surface?: 'search';
  readonly code?: CodeRunner;
  readonly kind: 'modern' | 'legacy' | 'v1';
  readonly names?: 'prefixed' | 'as-is';
}

async function open({ kind, names = 'prefixed', surface, code }: OpenOptions) {
  const events: AuditEvent[] = [];
  const roles = [
    { role: 'reader', allowedTools: ['logs.log', 'logs.rows', 'logs.chart_*'] },
    { role: 'other', allowedTools: ['logs.log'] },
  ];
  const registry = createRegistry({
    interceptors: [limitResults()],
    roles,
    audit: (event) => void events.push(event),
  });
  const upstreams = await openSdkUpstreams(registry, { logs: createServer() });
  const gateway = createGateway({ registry, upstreams, names, surface, code });
  opened.push(registry, upstreams, gateway);
  const connect = async (
    audience: { readonly role: string; readonly principal: string },
    capabilities = {},
  ): Promise<Loose> => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    gateway.serve({ ...audience, transport: serverSide });
    const info = { name: 'test', version: '1.0.0' };
    const mode = kind === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
    const client: Loose =
      kind === 'v1'
        ? new ClientV1(info, { capabilities })
        : new ClientV2(info, { capabilities, versionNegotiation: { mode } });
    await client.connect(clientSide);
    opened.push({ [Symbol.asyncDispose]: () => client.close() });
    return client;
  };
  return { connect, events };
}

const ada = { role: 'reader', principal: 'ada' };

describe.each(['modern', 'legacy', 'v1'] as const)('with a %s client', (kind) => {
  test.each(['prefixed', 'as-is'] as const)(
    'and %s names, a result of 300 kB is read on by tool and by link',
    async (names) => {
      const { connect, events } = await open({ kind, names });
      const client = await connect(ada);
      const prefix = names === 'prefixed' ? 'mcp__logs__' : '';
      const { tools } = await client.listTools();
      expect(tools.map(({ name }: Loose) => name)).toEqual(expect.arrayContaining([`${prefix}log`, 'read_mcp_result']));
      const result = await client.callTool({ name: `${prefix}log`, arguments: {} });
      expect(JSON.stringify(result).length).toBeLessThan(8_000);
      const link = result.content.find(({ type }: Loose) => type === 'resource_link');
      const { contents } = await client.readResource({ uri: link.uri });
      expect(contents).toMatchObject([{ uri: `${link.uri}/1`, text: log }]);
      expect((await client.readResource({ uri: `${link.uri}/1` })).contents).toMatchObject([{ text: log }]);
      const id = /"id":"(\w+)"/.exec(JSON.stringify(result).replaceAll('\\', ''))?.[1];
      const page = await client.callTool({ name: 'read_mcp_result', arguments: { id, offset: 150_000 } });
      expect(log.startsWith(page.content[0].text, 150_000)).toBe(true);
      expect(events.find(({ action }) => action === 'read')).toMatchObject({ outcome: 'started' });
      expect(events.filter(({ action }) => action === 'read').at(-1)).toMatchObject({
        outcome: 'ok',
        interceptors: [{ interceptor: 'limit-results', decision: 'answered' }],
      });
    },
  );

  test('the search surface has the tool, too', async () => {
    const { connect } = await open({ kind, surface: 'search' });
    const client = await connect(ada);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: Loose) => name)).toEqual(['call_mcp_tool', 'read_mcp_result', 'search_mcp_tools']);
    const result = await client.callTool({ name: 'call_mcp_tool', arguments: { name: 'mcp__logs__log' } });
    const id = /"id":"(\w+)"/.exec(JSON.stringify(result).replaceAll('\\', ''))?.[1];
    const page = await client.callTool({ name: 'read_mcp_result', arguments: { id } });
    expect(log.startsWith(page.content[0].text)).toBe(true);
  });

  test('a result of a tool with an output schema is valid, as the client checks', async () => {
    const { connect } = await open({ kind });
    const client = await connect(ada);
    await client.listTools();
    const result = await client.callTool({ name: 'mcp__logs__rows', arguments: {} });
    expect(result.structuredContent).toMatchObject({ read_mcp_result: { id: expect.any(String) } });
    expect(result.content[0].text).toContain('"rows": [{"id": 0, "name": "row 0"}');
  });

  test.each(['chart_1', 'chart_2'])(
    '%s, a tool of an app, has its result whole if the client shows apps',
    async (name) => {
      const { connect } = await open({ kind });
      const call = async (capabilities: object) => {
        const client = await connect(ada, capabilities);
        return client.callTool({ name: `mcp__logs__${name}`, arguments: {} });
      };
      const shown = await call({ extensions: { 'io.modelcontextprotocol/ui': {} } });
      expect(shown.structuredContent).toEqual({ rows });
      const limited = await call({});
      expect(limited.structuredContent).toBeUndefined();
      expect(JSON.stringify(limited)).toContain('read_mcp_result');
      expect(JSON.stringify(limited).length).toBeLessThan(8_000);
    },
  );

  test('other roles, principals and results are not found, as any unknown resource', async () => {
    const { connect, events } = await open({ kind });
    const client = await connect(ada);
    const result = await client.callTool({ name: 'mcp__logs__log', arguments: {} });
    const { uri } = result.content.find(({ type }: Loose) => type === 'resource_link');
    const uris = [uri, 'mcp-result://00000000000000000000', 'elsewhere:1'];
    for (const other of [
      await connect({ ...ada, principal: 'bob' }),
      await connect({ role: 'other', principal: 'ada' }),
    ]) {
      const errors = await Promise.all(
        uris.map((each) => other.readResource({ uri: each }).catch((error: Loose) => error)),
      );
      expect(errors.map(({ code, message }: Loose) => [code, message])).toEqual(
        Array(3).fill([errors[2].code, errors[2].message]),
      );
    }
    const reads = events.filter(({ action }) => action === 'read');
    expect(reads).toHaveLength(6);
    for (const { decision } of reads) expect(['denied', 'unknown']).toContain(decision);
    expect(reads.some((read) => 'outcome' in read || 'interceptors' in read)).toBe(false);
  });
});

test('a program gets the whole result, and returns what it needs', async () => {
  await using code = await openCodeRunner();
  const { connect } = await open({ kind: 'modern', surface: 'search', code });
  const client = await connect(ada);
  const program = `const { rows } = await tools.mcp__logs__rows({});
const log = await tools.mcp__logs__log({});
return [rows.length, log.length]`;
  const result = await client.callTool({ name: 'execute_mcp_code', arguments: { code: program } });
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify([rows.length, log.length]) }]);
});
