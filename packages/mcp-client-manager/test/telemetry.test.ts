import { once } from 'node:events';
import { expectNoLeaks, failingApi, recordTelemetry, startReportsTrace } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerSpec } from '../src/spec.js';
import { createTelemetry } from '../src/telemetry.js';
import { failureOf, managerWith, serverSpec, textOf } from './helpers/servers.js';

afterEach(expectNoLeaks);

const CLIENT = 2;
const SERVER = 1;
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function observed(...servers: readonly ServerSpec[]) {
  const recorded = recordTelemetry();
  const manager = managerWith({ telemetry: createTelemetry(recorded.api) }, ...servers);
  const spansOf = (name: string) => recorded.spans().filter((span) => span.name === name);
  const spanOf = (name: string) => spansOf(name)[0];
  return { ...recorded, manager, spansOf, spanOf, [Symbol.asyncDispose]: () => manager.close() };
}

/** The trace and the span of a `traceparent`. */
function idsOf(text: unknown): { readonly traceId: string | undefined; readonly spanId: string | undefined } {
  const [, traceId, spanId] = String(text).split('-');
  return { traceId, spanId };
}

describe('a call over stdio', () => {
  test('has a client span whose context reaches the server', async () => {
    await using app = observed(serverSpec('reports-trace'));
    const seen = await app.during('app', async () =>
      JSON.parse(textOf(await app.manager.callTool('reports-trace', 'trace'))),
    );

    const span = app.spanOf('tools/call trace');
    const parent = app.spanOf('app');
    expect(span?.kind).toBe(CLIENT);
    expect(idsOf(seen.traceparent)).toEqual({
      traceId: parent?.spanContext().traceId,
      spanId: span?.spanContext().spanId,
    });
    expect(span?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(span?.status.code).toBe(0);
    expect(span?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-11-25',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      'gen_ai.tool.name': 'trace',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'pipe',
      'mcpx.server': 'reports-trace',
      'mcpx.request.wait': expect.any(Number),
    });
    expect(span?.events.map(({ name }) => name)).toEqual(['mcpx.server.awaited']);
  });

  test('is a child of the trace in its meta, and replaces it', async () => {
    await using app = observed(serverSpec('reports-trace'));
    const meta = { traceparent, tracestate: 'vendor=1', baggage: 'user=ada' };
    const seen = JSON.parse(textOf(await app.manager.callTool('reports-trace', 'trace', {}, { meta })));

    const span = app.spanOf('tools/call trace');
    expect(span?.parentSpanContext).toMatchObject({ ...idsOf(traceparent), isRemote: true });
    expect(idsOf(seen.traceparent)).toEqual({
      traceId: idsOf(traceparent).traceId,
      spanId: span?.spanContext().spanId,
    });
    expect(seen).toMatchObject({ tracestate: 'vendor=1', baggage: 'user=ada' });
  });

  test('keeps the trace in its meta without telemetry', async () => {
    await using manager = managerWith({}, serverSpec('reports-trace'));
    const meta = { traceparent, tracestate: 'vendor=1', baggage: 'user=ada' };
    expect(JSON.parse(textOf(await manager.callTool('reports-trace', 'trace', {}, { meta })))).toEqual(meta);
  });

  test('has the requests of the start, and the duration of the session', async () => {
    const { manager, spanOf, points } = observed(serverSpec('reports-trace'));
    await manager.server('reports-trace').start();
    await manager.close();
    expect(spanOf('initialize')?.attributes).toMatchObject({ 'mcp.method.name': 'initialize' });
    expect(spanOf('tools/list')?.kind).toBe(CLIENT);
    expect(await points('mcp.client.session.duration')).toEqual([
      {
        attributes: {
          'mcp.protocol.version': '2025-11-25',
          'network.transport': 'pipe',
          'mcpx.server': 'reports-trace',
        },
        value: 1,
        boundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
      },
    ]);
  });
});

describe('a call over HTTP', () => {
  test('carries its context in _meta and in a header, and names the address', async () => {
    await using server = await startReportsTrace();
    await using app = observed({ name: 'remote', url: server.url });
    const seen = JSON.parse(textOf(await app.manager.callTool('remote', 'trace')));

    const span = app.spanOf('tools/call trace');
    expect(idsOf(seen.traceparent).spanId).toBe(span?.spanContext().spanId);
    expect(seen.header).toBe(seen.traceparent);
    expect(span?.attributes).toMatchObject({
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
    });
  });
});

describe('a failure', () => {
  test('of a tool has the type tool_error', async () => {
    await using app = observed(serverSpec('reports-trace'));
    await app.manager.callTool('reports-trace', 'fail');
    const span = app.spanOf('tools/call fail');
    expect(span?.attributes).toMatchObject({ 'error.type': 'tool_error' });
    expect(span?.attributes).not.toHaveProperty('rpc.response.status_code');
    expect(span?.status).toEqual({ code: 2 });
  });

  test('of a request has the code of JSON-RPC', async () => {
    await using app = observed(serverSpec('resources-and-prompts'));
    const server = app.manager.server('resources-and-prompts');
    await failureOf(server.readResource('test://missing'));
    const attributes = { 'error.type': '-32002', 'rpc.response.status_code': '-32002' };
    expect(app.spanOf('resources/read')?.attributes).toMatchObject(attributes);
    const points = await app.points('mcp.client.operation.duration');
    expect(points.find((point) => point.attributes['mcp.method.name'] === 'resources/read')?.attributes).toMatchObject(
      attributes,
    );
  });

  test('of the connection has the code of the manager, and an event', async () => {
    await using app = observed(serverSpec('dies-mid-call'));
    const { code } = (await failureOf(app.manager.callTool('dies-mid-call', 'die'))) as { code: string };
    const span = app.spanOf('tools/call die');
    expect(span?.attributes).toMatchObject({ 'error.type': code });
    expect(span?.events.map(({ name }) => name)).toContain('mcpx.connection.lost');
  });
});

test('metrics count every page of a list once, and not the list', async () => {
  await using app = observed(serverSpec('resources-and-prompts'));
  const { items } = await app.manager.server('resources-and-prompts').listResources();
  expect(items).toHaveLength(2);
  const points = await app.points('mcp.client.operation.duration');
  const counts = points.filter(({ attributes }) => attributes['mcp.method.name'] === 'resources/list');
  expect(counts.map(({ value }) => value)).toEqual([2]);
  const [first, second, whole] = app.spansOf('resources/list');
  expect([first, second].map((page) => page?.attributes['jsonrpc.request.id'])).not.toContain(undefined);
  expect(whole?.attributes).not.toHaveProperty('jsonrpc.request.id');
});

describe('what spans and metrics leave out', () => {
  test('arguments, results and messages', async () => {
    await using app = observed(serverSpec('echo'));
    await app.manager.callTool('echo', 'echo', { text: 'a-secret-argument' });
    await app.manager.callTool('echo', 'fail', { text: 'a-secret-argument' });
    const all = app.spans().map(({ attributes, events, status }) => ({ attributes, events, status }));
    expect(JSON.stringify(all)).not.toMatch(/a-secret-argument|failed as asked/);
    expect(all.length).toBeGreaterThan(2);
  });

  test.each([
    ['test://user:password@notes/a?key=secret', 'test://notes/a'],
    ['test://user:password#secret@notes/a', 'test://notes/a'],
    ['test://user:pass/word@notes/a?key=secret', 'test://notes/a'],
    ['test://notes:80/a?key=sec@ret', 'test://notes:80/a'],
  ])('the user, the password and the query of the URI %s', async (uri, expected) => {
    await using app = observed(serverSpec('reports-trace'));
    await app.manager
      .server('reports-trace')
      .readResource(uri)
      .catch(() => undefined); // no valid URI for all servers
    expect(app.spanOf('resources/read')?.attributes).toMatchObject({ 'mcp.resource.uri': expected });
  });

  test('names that no tool has, from the labels of metrics', async () => {
    await using app = observed(serverSpec('reports-trace'));
    await app.manager.callTool('reports-trace', 'trace');
    for (let index = 0; index < 5; index++) {
      await failureOf(app.manager.server('reports-trace').request('tools/call', { name: `made-up-${index}` }));
    }
    const points = await app.points('mcp.client.operation.duration');
    const names = points.flatMap(({ attributes }) => attributes['gen_ai.tool.name'] ?? []);
    expect(names.sort()).toEqual(['_OTHER', 'trace']);
  });

  test('but not the name of a tool whose calls only fail', async () => {
    await using app = observed(serverSpec('dies-mid-call'));
    await failureOf(app.manager.callTool('dies-mid-call', 'die', {}));
    const points = await app.points('mcp.client.operation.duration');
    const names = points.flatMap(({ attributes }) => attributes['gen_ai.tool.name'] ?? []);
    expect(names).toEqual(['die']);
  });
});

test('metrics show the state of every server', async () => {
  await using app = observed(serverSpec('reports-trace'), serverSpec('echo', [], { disabled: true }));
  await app.manager.server('reports-trace').start();
  const statesOf = async (server: string) => {
    const points = await app.points('mcpx.server.state');
    const current = points.filter(({ attributes, value }) => attributes['mcpx.server'] === server && value === 1);
    return current.map(({ attributes }) => attributes['mcpx.server.state']);
  };
  expect(await statesOf('reports-trace')).toEqual(['running']);
  expect(await statesOf('echo')).toEqual(['stopped']);
  const attributes = { 'mcpx.server': 'reports-trace' };
  expect(await app.points('mcpx.server.tools')).toContainEqual({ attributes, value: 2 });
  expect(await app.points('mcpx.server.restarts')).toContainEqual({ attributes, value: 0 });
  expect(await app.points('mcpx.server.requests.active')).toContainEqual({ attributes, value: 0 });
  expect(await app.points('mcpx.server.requests.queued')).toContainEqual({ attributes, value: 0 });
  await app.manager.stop();
  expect(await statesOf('reports-trace')).toEqual(['stopped']);
  await app.manager.apply({ servers: [] });
  expect(await statesOf('reports-trace')).toEqual([]);
});

test('requests of servers have server spans', async () => {
  const handlers = { sampling: () => Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'x' } }) };
  const recorded = recordTelemetry();
  const telemetry = createTelemetry(recorded.api);
  await using manager = managerWith({ telemetry, handlers: handlers as never }, serverSpec('asks-host'));
  await manager.callTool('asks-host', 'ask', {
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 1 },
  });
  const span = recorded.spans().find(({ kind }) => kind === SERVER);
  expect(span?.attributes).toMatchObject({ 'mcp.method.name': 'sampling/createMessage', 'mcpx.server': 'asks-host' });
});

test.each([
  'startSpan',
  'extract',
  'inject',
  'record',
  'addEvent',
  'setAttributes',
  'end',
  'addBatchObservableCallback',
  'removeBatchObservableCallback',
])('a failure of %s is a warning, and does not reach calls', async (name) => {
  const warned = once(process, 'warning');
  const telemetry = createTelemetry(failingApi(recordTelemetry().api, name));
  const manager = managerWith({ telemetry }, serverSpec('reports-trace'));
  const meta = { traceparent, baggage: 'user=ada' };
  const seen = JSON.parse(textOf(await manager.callTool('reports-trace', 'trace', {}, { meta })));
  expect(seen).toMatchObject({ baggage: 'user=ada' });
  if (name === 'startSpan' || name === 'inject') expect(seen).toEqual(meta);
  await manager.close();
  expect((await warned)[0].message).toContain(`OpenTelemetry threw: Error: No ${name} today`);
});

test('a failure during a request of a server leaves its response', async () => {
  const handlers = { sampling: () => Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'x' } }) };
  const telemetry = createTelemetry(failingApi(recordTelemetry().api, 'record'));
  await using manager = managerWith({ telemetry, handlers: handlers as never }, serverSpec('asks-host'));
  const params = { messages: [], maxTokens: 1 };
  const asked = await manager.callTool('asks-host', 'ask', { method: 'sampling/createMessage', params });
  expect(textOf(asked)).toContain('assistant');
});

test('refuses an API that is not one', () => {
  expect(() => createTelemetry({} as never)).toThrow(
    new TypeError('createTelemetry() takes the API: import * as api from "@opentelemetry/api"'),
  );
  expect(() => managerWith({ telemetry: {} as never })).toThrow('telemetry must be what createTelemetry() returned');
});
