import type { ViewOptions } from '@x/internal/views';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { connectRaw, post } from '../helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles = [
  { role: 'whole', allowedTools: ['left'] },
  { role: 'all tools', allowedTools: ['left'], deniedTools: ['left.rest'], allowedResources: ['left.*'] },
  { role: 'all resources', allowedTools: [], allowedResources: ['left.*'], allowedPrompts: ['left.*'] },
  { role: 'only reading', allowedTools: ['left'], requiredAnnotations: { readOnlyHint: true } },
];

async function open(workers: readonly Worker[], options: Partial<GatewayOptions> = { names: 'as-is' }) {
  const registry = createRegistry({ roles });
  for (const { source } of workers) await registry.attach(source).ready;
  const gateway = createGateway({ registry, upstreams: upstreamsOf(...workers) as never, ...options });
  opened.push(registry, gateway);
  return gateway;
}

async function serve(workers: readonly Worker[], options?: Partial<GatewayOptions>, audience: ViewOptions = {}) {
  const handler = (await open(workers, options)).handler({ allowAnonymous: true }, () => audience);
  opened.push(handler);
  return handler;
}

const notFound = { code: -32_601, message: 'Method not found' };

test('forwards an unknown method and its whole result', async () => {
  const worker = createWorker('left');
  const handler = await serve([worker]);
  worker.answer = () => ({
    resultType: 'partial',
    ttlMs: 5,
    cacheScope: 'public',
    content: 'no list',
    _meta: { 'x/y': 1 },
  });
  const answer = await post(handler, {
    method: 'acme/brew',
    params: { cups: 2, taskId: 'a cup' },
    meta: { traceparent: '00-1' },
  });
  expect(answer.status).toBe(200);
  expect(answer.result).toEqual({
    resultType: 'partial',
    ttlMs: 5,
    cacheScope: 'private', // another caller may have another role
    content: 'no list',
    _meta: { 'x/y': 1, 'io.modelcontextprotocol/serverInfo': expect.anything() },
  });
  expect(worker.requests).toMatchObject([
    { method: 'acme/brew', params: { cups: 2, taskId: 'a cup' }, options: { meta: { traceparent: '00-1' } } },
  ]);
});

test('adds nothing to a result for a client of an earlier revision', async () => {
  const worker = createWorker('left', { era: 'legacy' });
  const client = await connectRaw(await open([worker]));
  opened.push(client);
  worker.answer = ({ params }) => ({ ...params, done: null });
  expect(await client.request('acme/brew', { cups: 2 })).toEqual({ result: { cups: 2, done: null } });
});

test(`forwards a server's error with its code, message and data`, async () => {
  const worker = createWorker('left');
  const handler = await serve([worker]);
  const error = { code: 418, message: 'I am a teapot', data: { short: true } };
  worker.answer = () => Promise.reject(Object.assign(new Error(error.message), error));
  expect(await post(handler, { method: 'acme/brew' })).toEqual({ status: 200, error });
});

test('a method that the server does not know is not found over HTTP, too', async () => {
  const worker = createWorker('left');
  const handler = await serve([worker]);
  worker.answer = () => Promise.reject(Object.assign(new Error('Method not found'), { code: -32_601 }));
  expect(await post(handler, { method: 'acme/brew' })).toEqual({ status: 404, error: notFound });
});

test.each(['all tools', 'all resources', 'only reading'])(
  'the role "%s" gets an unknown method, and the server gets no request',
  async (role) => {
    const worker = createWorker('left');
    const handler = await serve([worker], { names: 'as-is' }, { role });
    expect(await post(handler, { method: 'acme/brew' })).toEqual({ status: 404, error: notFound });
    expect(worker.requests).toEqual([]);
  },
);

test('a role that may use the whole server may use its additions to the protocol', async () => {
  const handler = await serve([createWorker('left')], { names: 'as-is' }, { role: 'whole' });
  expect((await post(handler, { method: 'acme/brew' })).result).toMatchObject({ status: 'working' });
});

test('methods of the protocol are never forwarded unread', async () => {
  const worker = createWorker('left', { capabilities: { resources: undefined, logging: undefined } });
  const handler = await serve([worker]);
  const asked = [
    { method: 'resources/read', params: { uri: 'a:1' } },
    { method: 'prompts/get', params: { name: 'a' } },
    { method: 'completion/complete' },
    { method: 'tools/callMany' },
    { method: 'tasks/pause' },
    { method: 'tasks/pause', params: { taskId: 'of nobody' } },
  ];
  for (const each of asked) {
    expect(await post(handler, each), each.method).toEqual({ status: 404, error: notFound });
  }
  expect(worker.requests).toEqual([]);
});

test('with several servers, forwards a method to the server of the resource that it names', async () => {
  const [left, right] = [createWorker('left'), createWorker('right')];
  const handler = await serve([left, right], {});
  right.answer = ({ params }) => ({ contents: [{ uri: `${params.uri}/one` }] });
  const { result } = await post(handler, { method: 'acme/open', params: { uri: 'mcp+right:book:///' } });
  expect(result).toMatchObject({ contents: [{ uri: 'mcp+right:book:////one' }] });
  expect(right.requests.map(({ params }) => params)).toEqual([{ uri: 'book:///' }]);
  expect(left.requests).toEqual([]);
});

const brewing = (name: string, ...ids: readonly string[]) =>
  createWorker(name, { capabilities: { extensions: Object.fromEntries(ids.map((id) => [id, {}])) } });

test('with several servers, forwards a method to the only one with an extension that the gateway does not know', async () => {
  const [plain, left] = [createWorker('plain'), brewing('left', 'com.acme/coffee')];
  const handler = await serve([plain, left], {});
  expect((await post(handler, { method: 'coffee/brew' })).result).toMatchObject({ status: 'working' });
  expect((await post(handler, { method: 'beans/grind' })).result).toMatchObject({ status: 'working' });
  expect(left.requests.map(({ method }) => method)).toEqual(['coffee/brew', 'beans/grind']);
  expect(plain.requests).toEqual([]);
});

test('forwards a method to the server whose extension has its first word', async () => {
  const [tea, coffee] = [brewing('left', 'com.acme/tea'), brewing('right', 'com.acme/coffee')];
  const handler = await serve([tea, coffee], {});
  await post(handler, { method: 'tea/brew' });
  await post(handler, { method: 'coffee/brew' });
  expect([tea, coffee].map(({ requests }) => requests.map(({ method }) => method))).toEqual([
    ['tea/brew'],
    ['coffee/brew'],
  ]);
});

test('a method of an extension that several servers have is refused with their names', async () => {
  const servers = [brewing('left', 'com.acme/coffee'), brewing('right', 'com.acme/coffee')];
  const handler = await serve(servers, {});
  expect(await post(handler, { method: 'coffee/brew' })).toEqual({
    status: 200,
    error: {
      code: -32_602,
      message:
        'Several servers may have the method "coffee/brew": left, right; connect with a role or a list of servers that has one of them',
      data: { servers: ['left', 'right'] },
    },
  });
  expect(servers.flatMap(({ requests }) => requests)).toEqual([]);
});

test('a server that a role may not use wholly has no part in that', async () => {
  const [left, right] = [brewing('left', 'com.acme/coffee'), brewing('right', 'com.acme/coffee')];
  const handler = await serve([left, right], {}, { role: 'whole' });
  expect((await post(handler, { method: 'coffee/brew' })).result).toMatchObject({ status: 'working' });
  const restricted = await serve([left, right], {}, { role: 'all tools' });
  expect(await post(restricted, { method: 'coffee/brew' })).toEqual({ status: 404, error: notFound });
  expect(right.requests).toEqual([]);
});

test('with several servers, forwards no method that names no resource', async () => {
  const [left, right] = [createWorker('left'), createWorker('right')];
  const handler = await serve([left, right], {});
  for (const params of [{}, { uri: 'book:///' }, { uri: 'mcp+third:book:///' }]) {
    expect(await post(handler, { method: 'acme/brew', params })).toEqual({ status: 404, error: notFound });
  }
  expect([...left.requests, ...right.requests]).toEqual([]);
});

test('a method of an extension reaches no task of another caller', async () => {
  const worker = createWorker('left');
  const gateway = await open([worker]);
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) });
  opened.push(handler);
  await post(handler, { method: 'tools/call', params: { name: 'work', arguments: {} }, token: 'alice' });
  const peek = { method: 'acme/peek', params: { taskId: 'task-1' } };
  expect((await post(handler, { ...peek, token: 'bob' })).error).toMatchObject({ code: -32_602 });
  expect(worker.requests).toEqual([]);
  expect((await post(handler, { ...peek, token: 'alice' })).result).toMatchObject({ taskId: 'task-1' });
});

test('adds private cache hints to skills of a server that sends none', async () => {
  const worker = createWorker('left', { era: 'legacy' });
  const handler = await serve([worker]);
  worker.answer = () => ({ skills: [] });
  expect((await post(handler, { method: 'skills/list' })).result).toMatchObject({
    skills: [],
    ttlMs: 0,
    cacheScope: 'private',
  });
});

test.each([
  'Tools/Call',
  'tools/\ncall',
  'tools/call\n',
  '\u2028tools/call',
  'tools/call ',
  'LOGGING/setLevel',
  'Resources/Directory/Read',
  'Tasks/Get',
  'Initialize',
  '/acme',
  'acme//brew',
  `acme/${'x'.repeat(300)}`,
])('does not forward the method %j, which a server could read as another', async (method) => {
  const worker = createWorker('left', { era: 'legacy' });
  const client = await connectRaw(await open([worker]));
  opened.push(client);
  const { error } = await client.request(method, { name: 'work', arguments: {} });
  expect(error.code).toBeLessThan(0);
  await client.notify(`notifications/${method}`, {});
  await client.request('ping');
  expect([worker.requests, worker.calls]).toEqual([[], []]);
});
