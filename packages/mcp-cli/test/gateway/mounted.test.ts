import { randomUUID } from 'node:crypto';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createClientManager } from '@x/mcp-client-manager';
import { gatewayCapabilities } from '@x/mcp-gateway';
import { type MountRegistryOptions, mountRegistry } from '@x/mcp-gateway/sdk-v1';
import { createRegistry } from '@x/mcp-registry';
import { approveCalls } from '@x/mcp-registry/interceptors';
import { expectNoLeaks, serveOnLoopback, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answers,
  answersOf,
  ask,
  connectAnswering,
  form,
  httpTransport,
  type Loose,
  parse,
  words,
} from '../helpers/answering-client.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

type Way = 'in memory' | 'over HTTP';

/** A server of the SDK 1.x with the tools of two real servers, one of each era, and a client in front of it. */
async function open(kind: 'legacy' | 'v1', way: Way, answers: Answers, options: MountRegistryOptions) {
  const servers = { old: testServer('asks-host'), recent: testServer('modern-input-required') };
  const manager = createClientManager(
    { servers: Object.entries(servers).map(([name, server]) => ({ name, ...server })) },
    { capabilities: gatewayCapabilities },
  );
  const interceptors = [approveCalls({ ask: 'elicitation', rules: { tools: ['old.host_capabilities'] } })];
  const registry = createRegistry({ interceptors });
  opened.push(manager, registry);
  registry.follow(manager);
  await manager.start();
  const app = new McpServer({ name: 'app', version: '1.0.0' });
  mountRegistry(app, registry, options);
  const connected = await connectAnswering(await clientTransport(app, kind, way), kind, answers);
  opened.push(connected);
  return connected;
}

async function clientTransport(app: McpServer, kind: 'legacy' | 'v1', way: Way): Promise<unknown> {
  if (way === 'in memory') {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await app.connect(serverSide as never);
    return clientSide;
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await app.connect(transport as never);
  const { origin, close } = await serveOnLoopback((request, response) => transport.handleRequest(request, response));
  opened.push({ [Symbol.asyncDispose]: close }, { [Symbol.asyncDispose]: () => app.close() });
  return httpTransport(kind, new URL(`${origin}/mcp`), '');
}

const ways = (['legacy', 'v1'] as const).flatMap((kind) =>
  (['in memory', 'over HTTP'] as const).map((way) => ({ kind, way })),
);
const asksClient = { serverRequests: 'client' } as const;

describe.each(ways)('a client ($kind, $way) of a registry on a server of the SDK 1.x', ({ kind, way }) => {
  test('answers what servers of both eras ask, and approves calls', async () => {
    const approving = (params: Loose, signal: AbortSignal) =>
      params.message.startsWith('Allow this tool call')
        ? { action: 'accept', content: { decision: 'approve' } }
        : answersOf('ada').elicitation?.(params, signal);
    const { call } = await open(kind, way, { ...answersOf('ada'), elicitation: approving }, asksClient);
    const of = async (method: string, params?: Record<string, unknown>): Promise<Loose> =>
      parse(await call('mcp__old__ask', ask(method, params)));
    expect(await of('elicitation/create', form)).toMatchObject({ result: { content: { name: 'ada' } } });
    expect(await of('sampling/createMessage', words)).toMatchObject({ result: { content: { text: 'ada' } } });
    expect(await of('roots/list')).toMatchObject({ error: { code: -32_601 } });
    expect(parse(await call('mcp__recent__greet')).who).toMatchObject({ content: { name: 'ada' } });
    expect(parse(await call('mcp__old__host_capabilities'))).toMatchObject({ sampling: {}, elicitation: {} });
  });

  test('is not asked for what it does not declare, and its errors reach the server', async () => {
    const elicitation = () => {
      throw Object.assign(new Error('not now'), { code: -32_000 - 99 });
    };
    const { call } = await open(kind, way, { elicitation }, asksClient);
    const refused = parse(await call('mcp__old__ask', ask('sampling/createMessage', words)));
    expect(refused.error.code).toBe(-32_601);
    const failed = parse(await call('mcp__old__ask', ask('elicitation/create', form)));
    expect(failed.error).toMatchObject({ code: -32_099, message: expect.stringMatching(/: not now$/) });
    expect(failed.error.message.match(/MCP error/g)).toHaveLength(1); // the server's own SDK adds it
  });

  test('is not asked by default', async () => {
    const asked: Loose[] = [];
    const elicitation = (params: Loose) => asked.push(params);
    const { call } = await open(kind, way, { elicitation }, {});
    expect(parse(await call('mcp__old__ask', ask('elicitation/create', form))).error.code).toBeLessThan(0);
    expect(await call('mcp__old__host_capabilities')).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });
});

test('a question ends with its call', async () => {
  const cancel = new AbortController();
  const elicitation = (_params: Loose, signal: AbortSignal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ action: 'cancel' }));
      cancel.abort();
    });
  const { call } = await open('v1', 'in memory', { ...answersOf('ada'), elicitation }, asksClient);
  const cancelled = call('mcp__old__ask', ask('elicitation/create', form), { signal: cancel.signal });
  await expect(cancelled).rejects.toThrow();
  expect(parse(await call('mcp__recent__later', { times: 1 }))).toEqual({ round: 1 });
});
