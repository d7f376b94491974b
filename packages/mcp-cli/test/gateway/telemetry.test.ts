import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { createClientManager } from '@x/mcp-client-manager';
import { createTelemetry } from '@x/mcp-client-manager/telemetry';
import { createGateway, type GatewayOptions, toNodeListener } from '@x/mcp-gateway';
import { createRegistry, type Interceptor } from '@x/mcp-registry';
import { openCodeRunner } from '@x/mcp-registry/code';
import {
  expectNoLeaks,
  type RecordedApi,
  recordTelemetry,
  serveOnLoopback,
  startReportsTrace,
  testServer,
} from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { connectHttp, generations } from '../helpers/http-client.js';

const token = 'the-token-of-a-client';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const [, traceId, clientSpanId] = traceparent.split('-');
const [CLIENT, SERVER] = [2, 1];

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

interface Upstream {
  readonly over: 'stdio' | 'http';
  /** `none`: an app without a context manager, such as `mcpx`. Default: `async`. */
  readonly contexts?: 'async' | 'none';
  readonly interceptors?: readonly Interceptor[];
  readonly isObserved?: boolean;
  readonly options?: Partial<GatewayOptions>;
}

async function openGateway({ over, contexts, interceptors = [], isObserved = true, options }: Upstream) {
  const recorded = recordTelemetry();
  const root = recorded.api.context.active();
  const context = { active: () => root, with: (_: unknown, work: () => unknown) => work() } as RecordedApi['context'];
  const api = contexts === 'none' ? { ...recorded.api, context } : recorded.api;
  const telemetry = isObserved ? createTelemetry(api) : undefined;
  const remote = over === 'http' ? await startReportsTrace() : undefined;
  if (remote !== undefined) opened.push(remote);
  const spec = remote === undefined ? testServer('reports-trace') : { url: remote.url };
  const manager = createClientManager({ servers: [{ name: 'up', ...spec }] }, { telemetry });
  const registry = createRegistry({ interceptors });
  const gateway = createGateway({ registry, upstreams: manager, telemetry, ...options });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  const span = (name: string, kind: number) =>
    recorded.spans().find((each) => each.name === name && each.kind === kind);
  return { ...recorded, span, gateway };
}

async function listen({ gateway }: Awaited<ReturnType<typeof openGateway>>): Promise<string> {
  const { origin, close } = await serveOnLoopback(toNodeListener(gateway.handler({ token })));
  opened.push({ [Symbol.asyncDispose]: close });
  return `${origin}/mcp`;
}

interface Content {
  readonly content?: unknown;
}

function seenIn({ content }: Content): Record<string, string | undefined> {
  return JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '');
}

describe.each([
  ['stdio', 'async'],
  ['http', 'async'],
  ['stdio', 'none'],
  ['http', 'none'],
] as const)('a server over %s, with the context manager %s,', (over, contexts) => {
  test.each(generations)('has one trace with its client over HTTP: client %s', async (generation) => {
    const stack = await openGateway({ over, contexts });
    const url = await listen(stack);
    const connected = await connectHttp(url, { token, generation });
    opened.push(connected);
    const result = await connected.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta: { traceparent } });

    const server = stack.span('tools/call mcp__up__trace', SERVER);
    const client = stack.span('tools/call trace', CLIENT);
    const seen = seenIn(result as Content).traceparent?.split('-') ?? [];
    const ids = [server, client].map((each) => each?.spanContext());
    expect(ids.map((each) => each?.traceId)).toEqual([traceId, traceId]);
    expect(server?.parentSpanContext).toMatchObject({ spanId: clientSpanId, isRemote: true });
    expect(client?.parentSpanContext).toEqual(ids[0]); // of this process, so not remote
    expect(seen.slice(1, 3)).toEqual([traceId, ids[1]?.spanId]);
    const isModern = generation === '2.x of 2026-07-28';
    expect(server?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': isModern ? '2026-07-28' : '2025-11-25',
      'jsonrpc.request.id': expect.any(String),
      'gen_ai.tool.name': 'mcp__up__trace',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      ...(!isModern && { 'mcp.session.id': expect.any(String) }),
    });
  });
});

test('a server over stdio has one trace with its client over stdio', async () => {
  const { gateway, span } = await openGateway({ over: 'stdio' });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  opened.push(gateway.serve({ stdin, stdout }));
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse((await answers.next()).value).result;
  };
  const clientInfo = { name: 'any', version: '1.0.0' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const result = await ask(2, 'tools/call', { name: 'mcp__up__trace', arguments: {}, _meta: { traceparent } });
  const server = span('tools/call mcp__up__trace', SERVER);
  expect(server?.attributes['network.transport']).toBe('pipe');
  expect(server?.parentSpanContext?.spanId).toBe(clientSpanId);
  const inner = span('tools/call trace', CLIENT);
  expect(inner?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
  expect(seenIn(result).traceparent?.split('-').slice(1, 3)).toEqual([traceId, inner?.spanContext().spanId]);
});

test('the trace passes unchanged without telemetry', async () => {
  const url = await listen(await openGateway({ over: 'stdio', isObserved: false }));
  const connected = await connectHttp(url, { token });
  opened.push(connected);
  const result = await connected.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta: { traceparent } });
  expect(seenIn(result).traceparent).toBe(traceparent);
});

test('the parent of a call is what an interceptor has passed on as its meta', async () => {
  const other = traceparent.replaceAll('a', 'b');
  const call: Interceptor['call'] = ({ options }, next) => next({ meta: { ...options.meta, traceparent: other } });
  const stack = await openGateway({ over: 'stdio', interceptors: [{ name: 'other-trace', call }] });
  const connected = await connectHttp(await listen(stack), { token });
  opened.push(connected);
  await connected.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta: { traceparent } });
  expect(stack.span('tools/call mcp__up__trace', SERVER)?.spanContext().traceId).toBe(traceId);
  const client = stack.span('tools/call trace', CLIENT);
  expect(client?.parentSpanContext).toMatchObject({ traceId: other.split('-')[1], isRemote: true });
});

describe('the way of a call keeps the trace', () => {
  async function searchGateway(options: Partial<GatewayOptions> = {}) {
    const stack = await openGateway({ over: 'stdio', options: { surface: 'search', ...options } });
    const connected = await connectHttp(await listen(stack), { token, generation: '2.x of 2026-07-28' });
    opened.push(connected);
    return { ...stack, client: connected.client };
  }

  test('through call_mcp_tool', async () => {
    const { client, span } = await searchGateway();
    const name = 'call_mcp_tool';
    const args = { name: 'mcp__up__trace', arguments: {} };
    const result = await client.callTool({ name, arguments: args, _meta: { traceparent } });
    const outer = span('tools/call call_mcp_tool', SERVER);
    expect(outer?.spanContext().traceId).toBe(traceId);
    expect(span('tools/call trace', CLIENT)?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(seenIn(result).traceparent).toContain(traceId);
  });

  test('through a program of execute_mcp_code', async () => {
    const code = await openCodeRunner();
    opened.push(code);
    const { client, span } = await searchGateway({ code });
    const program = 'return await tools.mcp__up__trace({})';
    await client.callTool({ name: 'execute_mcp_code', arguments: { code: program }, _meta: { traceparent } });
    const outer = span('tools/call execute_mcp_code', SERVER);
    expect(span('tools/call trace', CLIENT)?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  });

  test('of a prompt and a resource', async () => {
    const stack = await openGateway({ over: 'stdio' });
    const connected = await connectHttp(await listen(stack), { token });
    opened.push(connected);
    const { client } = connected;
    const prompt = (await client.listPrompts()).prompts[0]?.name ?? '';
    const uri = (await client.listResources()).resources[0]?.uri ?? '';
    await client.getPrompt({ name: prompt, _meta: { traceparent } });
    await client.readResource({ uri, _meta: { traceparent } });
    for (const [outer, inner] of [
      [`prompts/get ${prompt}`, 'prompts/get greet'],
      ['resources/read', 'resources/read'],
    ] as const) {
      const server = stack.span(outer, SERVER);
      expect(server?.spanContext().traceId).toBe(traceId);
      expect(stack.span(inner, CLIENT)?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
    }
    expect(JSON.stringify(stack.spans().map(({ attributes }) => attributes))).not.toMatch(/password|secret/);
  });
});

test('the context of HTTP headers is the parent, or a link beside that of _meta', async () => {
  const stack = await openGateway({ over: 'stdio' });
  const url = await listen(stack);
  const other = traceparent.replaceAll('a', 'b');
  const call = async (id: number, meta: object) => {
    const body = {
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    };
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      traceparent: other,
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    await response.text();
  };
  await call(1, {});
  await call(2, { traceparent });
  const [first, second] = stack.spans().filter(({ name, kind }) => name === 'tools/list' && kind === SERVER);
  expect(first?.parentSpanContext?.traceId).toBe(other.split('-')[1]);
  expect(first?.links).toEqual([]);
  expect(second?.parentSpanContext?.traceId).toBe(traceId);
  expect(second?.links.map(({ context }) => context.traceId)).toEqual([other.split('-')[1]]);
});

test('metrics have durations of calls and sessions, sizes of lists, and no names that clients make up', async () => {
  const stack = await openGateway({ over: 'stdio' });
  const connected = await connectHttp(await listen(stack), { token });
  const { client } = connected;
  await client.listTools();
  await client.callTool({ name: 'mcp__up__trace', arguments: {} });
  for (let index = 0; index < 5; index++) {
    await client.callTool({ name: `made_up_${index}`, arguments: {} }).catch(() => undefined);
  }
  await connected[Symbol.asyncDispose]();
  const calls = await stack.points('mcp.server.operation.duration');
  const names = calls.flatMap(({ attributes }) => attributes['gen_ai.tool.name'] ?? []);
  expect(names.sort()).toEqual(['_OTHER', 'mcp__up__trace']);
  expect(calls.find(({ attributes }) => attributes['gen_ai.tool.name'] === '_OTHER')).toMatchObject({
    attributes: { 'error.type': '-32602', 'rpc.response.status_code': '-32602' },
    value: 5,
  });
  expect(await stack.points('mcpx.tools.listed.tokens')).toMatchObject([{ value: 1 }]);
  expect(stack.spans().some(({ name }) => name.includes('made_up'))).toBe(false);
  await stack.gateway.close();
  expect(await stack.points('mcp.server.session.duration')).toMatchObject([{ value: 1 }]);
});
