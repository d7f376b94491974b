import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { modernHeaders, modernRequest, postRequest } from '../../helpers/http-requests.js';
import { connectRaw, post, TASKS } from '../helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles = [
  { role: 'resting', allowedTools: ['left.rest', 'right.rest'] },
  { role: 'working', allowedTools: ['left', 'right'] },
];

async function open(
  workers: readonly Worker[],
  options: Partial<GatewayOptions> = {},
  registry = createRegistry({ roles }),
) {
  for (const { source } of workers) await registry.attach(source).ready;
  const gateway = createGateway({ registry, upstreams: upstreamsOf(...workers) as never, ...options });
  opened.push(registry, gateway);
  return gateway;
}

/** Tokens are names. Roles are what the test says. */
function serve(gateway: Awaited<ReturnType<typeof open>>, roleOf: (id: string) => string = () => 'working') {
  const verifyToken = (token: string) => ({ id: token });
  const handler = gateway.handler({ verifyToken }, ({ id }) => ({ role: roleOf(id) }));
  opened.push(handler);
  return handler;
}

const unknown = { code: -32_602, message: 'There is no such task, or not any more' };

describe('since revision 2026-07-28', () => {
  const work = (name: string, token: string) => ({ method: 'tools/call', params: { name, arguments: {} }, token });
  const get = (taskId: string, token: string) => ({ method: 'tasks/get', params: { taskId }, token });

  test('a call that becomes a task returns its server’s response', async () => {
    const worker = createWorker('left');
    const handler = serve(await open([worker], { names: 'as-is' }));
    const { result } = await post(handler, work('work', 'alice'));
    expect(result).toEqual({
      resultType: 'task',
      taskId: 'task-1',
      status: 'working',
      'x/of': 'work',
      ttlMs: 60_000,
      _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() },
    });
    expect(worker.calls[0]?.handler?.capabilities).toEqual({ extensions: { [TASKS]: {} } });
  });

  test('requests of the creator about a task reach the server, and responses are whole', async () => {
    const worker = createWorker('left');
    const handler = serve(await open([worker], { names: 'as-is' }));
    await post(handler, work('work', 'alice'));
    worker.answer = () => ({
      resultType: 'complete',
      taskId: 'task-1',
      status: 'input_required',
      inputRequests: { a: { method: 'x/y' } },
      odd: [1],
    });
    const got = await post(handler, { ...get('task-1', 'alice'), meta: { 'x/mine': 1 } });
    expect(got.result).toMatchObject({
      status: 'input_required',
      inputRequests: { a: { method: 'x/y' } },
      odd: [1],
    });
    expect(worker.requests[0]).toMatchObject({
      method: 'tasks/get',
      params: { taskId: 'task-1' },
      options: { meta: { 'x/mine': 1 } },
    });

    worker.answer = () => ({});
    const inputResponses = { a: { action: 'accept', content: { yes: true } } };
    const update = { method: 'tasks/update', params: { taskId: 'task-1', inputResponses }, token: 'alice' };
    expect((await post(handler, update)).result).toMatchObject({ resultType: 'complete' });
    expect(worker.requests[1]?.params).toEqual({ taskId: 'task-1', inputResponses });
    await post(handler, { method: 'tasks/cancel', params: { taskId: 'task-1' }, token: 'alice' });
    expect(worker.requests[2]).toMatchObject({ method: 'tasks/cancel', params: { taskId: 'task-1' } });
  });

  test('another caller’s task does not exist, and its server gets no request', async () => {
    const worker = createWorker('left');
    const handler = serve(await open([worker], { names: 'as-is' }));
    await post(handler, work('work', 'alice'));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const foreign = await post(handler, { method, params: { taskId: 'task-1' }, token: 'bob' });
      expect(foreign).toEqual(await post(handler, { method, params: { taskId: 'none' }, token: 'bob' }));
      expect(foreign.error).toEqual(unknown);
    }
    expect(worker.requests).toEqual([]);
  });

  test('callers of two handlers with the same id are different', async () => {
    const worker = createWorker('left');
    const gateway = await open([worker], { names: 'as-is' });
    await post(serve(gateway), work('work', 'alice'));
    expect((await post(serve(gateway), get('task-1', 'alice'))).error).toEqual(unknown);
  });

  test('tasks of several servers have ids that contain their server', async () => {
    const [left, right] = [createWorker('left'), createWorker('right')];
    const handler = serve(await open([left, right]));
    const ofLeft = await post(handler, work('mcp__left__work', 'alice'));
    const ofRight = await post(handler, work('mcp__right__work', 'alice'));
    expect([ofLeft.result.taskId, ofRight.result.taskId]).toEqual(['mcp+left:task-1', 'mcp+right:task-1']);
    const link = { type: 'resource_link', uri: 'book:///one', name: 'One' };
    right.answer = () => ({ taskId: 'task-1', status: 'completed', result: { content: [link] } });
    const { result } = await post(handler, get('mcp+right:task-1', 'alice'));
    expect(result).toMatchObject({
      taskId: 'mcp+right:task-1',
      result: { content: [{ ...link, uri: 'mcp+right:book:///one' }] },
    });
    expect(right.requests.map(({ params }) => params)).toEqual([{ taskId: 'task-1' }]);
    expect(left.requests).toEqual([]);
    expect((await post(handler, get('task-1', 'alice'))).error).toEqual(unknown);
  });

  test('with several servers, ids contain their server with as-is names, too', async () => {
    const [left, right] = [createWorker('left'), createWorker('right')];
    right.source.listTools = () => [{ name: 'other', inputSchema: { type: 'object' } }];
    const handler = serve(await open([left, right], { names: 'as-is' }));
    const ids = [await post(handler, work('work', 'alice')), await post(handler, work('other', 'alice'))];
    expect(ids.map(({ result }) => result.taskId)).toEqual(['mcp+left:task-1', 'mcp+right:task-1']);
  });

  test('a client that does not declare tasks gets an error', async () => {
    const handler = serve(await open([createWorker('left')], { names: 'as-is' }));
    const { status, error } = await post(handler, { ...get('task-1', 'alice'), capabilities: {} });
    expect({ status, code: error.code, data: error.data }).toEqual({
      status: 400,
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
  });

  test('a task is unknown to a role that may no longer use its tool', async () => {
    const worker = createWorker('left');
    let role = 'working';
    const handler = serve(await open([worker], { names: 'as-is' }), () => role);
    await post(handler, work('work', 'alice'));
    await post(handler, work('rest', 'alice'));
    role = 'resting';
    expect((await post(handler, get('task-1', 'alice'))).error).toEqual(unknown);
    expect((await post(handler, get('task-2', 'alice'))).result).toMatchObject({ status: 'working' });
  });

  test('an id that a server reuses belongs to its last owner', async () => {
    const worker = createWorker('left');
    const handler = serve(await open([worker], { names: 'as-is' }));
    worker.nextId = 'same';
    await post(handler, work('work', 'alice'));
    await post(handler, work('work', 'bob'));
    expect((await post(handler, get('same', 'alice'))).error).toEqual(unknown);
    expect((await post(handler, get('same', 'bob'))).result).toMatchObject({ taskId: 'same' });
  });

  test('a subscription acknowledges no task', async () => {
    const handler = serve(await open([createWorker('left')], { names: 'as-is' }));
    await post(handler, work('work', 'alice'));
    const params = { notifications: { toolsListChanged: true, taskIds: ['task-1'] } };
    const headers = { ...modernHeaders('subscriptions/listen'), authorization: 'Bearer alice' };
    const stream = await handler.fetch(postRequest(modernRequest('subscriptions/listen', params), headers));
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(JSON.parse(first.slice(first.indexOf('{')))).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true } },
    });
    expect(first).not.toContain('taskIds');
    await reader?.cancel();
  });

  test('the methods are unknown if no server has tasks', async () => {
    const worker = createWorker('left', { capabilities: { extensions: {} } });
    const handler = serve(await open([worker], { names: 'as-is' }));
    const { status, error } = await post(handler, get('task-1', 'alice'));
    expect({ status, error }).toEqual({ status: 404, error: { code: -32_601, message: 'Method not found' } });
    expect(worker.requests).toEqual([]);
  });
});

describe('in revision 2025-11-25', () => {
  async function connectTo(workers: readonly Worker[], options: Partial<GatewayOptions> = { names: 'as-is' }) {
    const gateway = await open(workers, options);
    const connect = async () => {
      const connection = await connectRaw(gateway);
      opened.push(connection);
      return connection;
    };
    return { gateway, connect };
  }
  const asTask = (name = 'work') => ({ name, arguments: {}, task: { ttl: 60_000 } });

  test('a call becomes a task if the client requests one', async () => {
    const worker = createWorker('left', { era: 'legacy' });
    const client = await (await connectTo([worker])).connect();
    const { result } = await client.request('tools/call', asTask());
    expect(result).toEqual({ task: { taskId: 'task-1', status: 'working', 'x/of': 'work' } });
    expect(worker.calls[0]?.params).toEqual({ task: { ttl: 60_000 } });
  });

  test('its result is requested separately, and names its task', async () => {
    const worker = createWorker('left', { era: 'legacy' });
    const client = await (await connectTo([worker], {})).connect();
    const { result } = await client.request('tools/call', asTask('mcp__left__work'));
    const { taskId } = result.task;
    worker.answer = ({ params }) => ({
      content: [{ type: 'resource_link', uri: 'a:1', name: 'One' }],
      _meta: { 'io.modelcontextprotocol/related-task': params, 'x/kept': 1 },
    });
    expect(await client.request('tasks/result', { taskId })).toEqual({
      result: {
        content: [{ type: 'resource_link', uri: 'mcp+left:a:1', name: 'One' }],
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'mcp+left:task-1' }, 'x/kept': 1 },
      },
    });
  });

  test('tasks/list lists only tasks of the same connection, on all servers', async () => {
    const workers = [createWorker('left', { era: 'legacy' }), createWorker('right', { era: 'legacy' })];
    const { connect } = await connectTo(workers, {});
    const [one, other] = [await connect(), await connect()];
    for (const name of ['mcp__left__work', 'mcp__right__work']) await one.request('tools/call', asTask(name));
    await other.request('tools/call', asTask('mcp__left__work'));
    for (const worker of workers) {
      worker.answer = ({ params }) =>
        params.cursor === 'next'
          ? { tasks: [{ taskId: 'task-2' }] }
          : { tasks: [{ taskId: 'task-1' }, { taskId: 'of nobody' }, 'odd'], nextCursor: 'next' };
    }
    expect((await one.request('tasks/list')).result).toEqual({
      tasks: [{ taskId: 'mcp+left:task-1' }, { taskId: 'mcp+right:task-1' }],
    });
    expect((await other.request('tasks/list')).result).toEqual({ tasks: [{ taskId: 'mcp+left:task-2' }] });
    const refused = await other.request('tasks/cancel', { taskId: 'mcp+left:task-1' });
    expect(refused).toEqual({ error: unknown });
  });

  test('a server that fails to list its tasks does not affect others', async () => {
    const workers = [createWorker('left', { era: 'legacy' }), createWorker('right', { era: 'legacy' })];
    const reasons: string[] = [];
    const { connect } = await connectTo(workers, { onProblem: ({ reason }) => reasons.push(reason) });
    const client = await connect();
    for (const name of ['mcp__left__work', 'mcp__right__work']) await client.request('tools/call', asTask(name));
    const [left, right] = workers;
    if (left) left.answer = () => Promise.reject(Object.assign(new Error('gone'), { code: 'connection-lost' }));
    if (right) right.answer = () => ({ tasks: [{ taskId: 'task-1' }] });
    expect((await client.request('tasks/list')).result).toEqual({
      tasks: [{ taskId: 'mcp+right:task-1' }],
      _meta: { 'mcp-registry/incomplete': [{ server: 'left', reason: 'connection-lost' }] },
    });
    expect(reasons).toEqual(['connection-lost']);
  });

  test('tasks/list is within the limits of its server, recorded, and says what is missing', async () => {
    const workers = [createWorker('left', { era: 'legacy' }), createWorker('right', { era: 'legacy' })];
    const events: AuditEvent[] = [];
    const registry = createRegistry({ roles, audit: (event) => events.push(event) });
    const perServer = { left: { requests: 2, perMs: 3_600_000 } };
    const gateway = await open(workers, { rateLimits: { perServer } }, registry);
    const client = await connectRaw(gateway, { role: 'working' });
    opened.push(client);
    for (const name of ['mcp__left__work', 'mcp__right__work']) await client.request('tools/call', asTask(name));
    for (const worker of workers) worker.answer = () => ({ tasks: [{ taskId: 'task-1' }] });
    const [left, right] = [{ taskId: 'mcp+left:task-1' }, { taskId: 'mcp+right:task-1' }];
    expect((await client.request('tasks/list')).result).toEqual({ tasks: [left, right] });
    expect((await client.request('tasks/list')).result).toEqual({
      tasks: [right],
      _meta: { 'mcp-registry/incomplete': [{ server: 'left', reason: 'rate-limited' }] },
    });
    const recorded = events.flatMap((event) =>
      'method' in event && event.method === 'tasks/list' ? [[event.server, event.decision, event.outcome]] : [],
    );
    const ran = [
      ['left', 'allowed', 'ok'],
      ['right', 'allowed', 'ok'],
    ];
    expect(recorded.filter(([, , outcome]) => outcome !== 'started')).toEqual([
      ...ran,
      ['left', 'denied', undefined],
      ran[1],
    ]);
  });

  test('a result with a task field is no task unless one was requested', async () => {
    const worker = createWorker('left', { era: 'legacy' });
    const client = await (await connectTo([worker])).connect();
    const { result } = await client.request('tools/call', { name: 'work', arguments: { odd: true } });
    expect(result).toMatchObject({ content: [], task: { taskId: 'not a task' } });
    expect(await client.request('tasks/get', { taskId: 'not a task' })).toEqual({ error: unknown });
  });

  describe('task support of a tool', () => {
    const inputSchema = { type: 'object' };
    const tools = [
      { name: 'work', inputSchema, execution: { taskSupport: 'required' } },
      { name: 'rest', inputSchema, execution: { taskSupport: 'perhaps' } },
    ];
    const saying = (worker: Worker) => ({ ...worker, source: { ...worker.source, listTools: () => tools } });
    const listed = async (client: Awaited<ReturnType<typeof connectRaw>>) =>
      (await client.request('tools/list')).result.tools.map(({ name, execution }: never) => [name, execution]);

    test('is listed as the server declares it', async () => {
      const client = await (await connectTo([saying(createWorker('left', { era: 'legacy' }))])).connect();
      expect(await listed(client)).toEqual([
        ['rest', undefined], // what is none would cost clients the whole list
        ['work', { taskSupport: 'required' }],
      ]);
    });

    test('is absent for a server without tasks', async () => {
      const left = saying(createWorker('left', { era: 'legacy', capabilities: { tasks: { requests: {} } } }));
      const right = saying(createWorker('right', { era: 'legacy' }));
      const client = await (await connectTo([left, right], {})).connect();
      expect(Object.fromEntries(await listed(client))).toMatchObject({
        mcp__left__work: undefined,
        mcp__right__work: { taskSupport: 'required' },
      });
    });

    test('is absent for clients of a revision without it', async () => {
      const handler = serve(await open([saying(createWorker('left', { era: 'legacy' }))], { names: 'as-is' }));
      const { result } = await post(handler, { method: 'tools/list', token: 'alice' });
      expect(result.tools.map((tool: object) => 'execution' in tool)).toEqual([false, false]);
    });
  });

  test('is declared only as far as servers support it', async () => {
    const worker = createWorker('left', { era: 'legacy', capabilities: { tasks: { requests: {} } } });
    const client = await (await connectTo([worker])).connect();
    expect(client.capabilities.tasks).toEqual({ requests: {} });
    const notFound = { error: { code: -32_601, message: 'Method not found' } };
    expect(await client.request('tasks/list')).toEqual(notFound);
    expect(await client.request('tasks/cancel', { taskId: 'task-1' })).toEqual(notFound);
  });
});

test('a task with an oversized id is an error', async () => {
  const worker = createWorker('left', { era: 'legacy' });
  const call = worker.source.callTool.bind(worker.source);
  const taskId = 'x'.repeat(5_000);
  const source = {
    ...worker.source,
    callTool: async (...args: Parameters<typeof call>) => ({ ...(await call(...args)), task: { taskId } }),
  };
  const gateway = await open([{ ...worker, source }]);
  const client = await connectRaw(gateway);
  opened.push(client);
  const params = { name: 'mcp__left__work', arguments: {}, task: {} };
  expect((await client.request('tools/call', params)).error).toMatchObject({ code: -32_603 });
  expect((await client.request('tasks/list')).result).toEqual({ tasks: [] });
});
