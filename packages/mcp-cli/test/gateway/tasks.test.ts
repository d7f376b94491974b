import { InMemoryTransport } from '@modelcontextprotocol/client';
import { createClientManager, type StdioServerSpec } from '@x/mcp-client-manager';
import { createGateway, type Gateway, gatewayCapabilities } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at by matchers alone
type Loose = any;

const TASKS = 'io.modelcontextprotocol/tasks';
const unknown = { code: -32_602, message: 'There is no such task, or not any more' };

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

async function open(...servers: readonly StdioServerSpec[]) {
  const manager = createClientManager({ servers }, { capabilities: gatewayCapabilities });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: manager, names: servers.length === 1 ? 'as-is' : 'prefixed' });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return gateway;
}

/** A connection of the revision 2025-11-25. */
async function connect(gateway: Gateway) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = gateway.serve({ transport: serverSide as never });
  const waiting = new Map<unknown, (message: Loose) => void>();
  clientSide.onmessage = (message: Loose) => waiting.get(message.id)?.(message);
  await clientSide.start();
  opened.push({ [Symbol.asyncDispose]: () => clientSide.close() }, serving);
  let last = 0;
  const request = async (method: string, params: object = {}): Promise<Loose> => {
    const id = ++last;
    const answered = new Promise<Loose>((resolve) => waiting.set(id, resolve));
    await clientSide.send({ jsonrpc: '2.0', id, method, params: { ...params } });
    return answered;
  };
  const clientInfo = { name: 'test', version: '1.0.0' };
  const { result } = await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await clientSide.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { capabilities: result.capabilities, request };
}

/** Requests of the 2026-07-28 revision over HTTP, by the name of who asks. */
function serve(gateway: Gateway) {
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) });
  opened.push(handler);
  return async (who: string, method: string, params: Record<string, unknown> = {}): Promise<Loose> => {
    const name = params.taskId ?? params.name ?? params.uri;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} }, elicitation: {} },
    };
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${who}`,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof name === 'string' && { 'mcp-name': name }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      }),
    );
    return response.json();
  };
}

const modern = (name: string): StdioServerSpec => ({
  name,
  ...testServer('conformance'),
  protocol: '2026-07-28',
  autoStart: true,
});

test('a task of a server of 2025-11-25 is visible to its creator only', async () => {
  const gateway = await open({ name: 'tasks', ...testServer('tasks'), autoStart: true });
  const [one, other] = [await connect(gateway), await connect(gateway)];
  expect(one.capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
  const call = { name: 'add_slowly', arguments: { a: 2, b: 3 }, task: { ttl: 60_000 } };
  const created = await one.request('tools/call', call);
  expect(created.result).toEqual({ task: expect.objectContaining({ taskId: expect.any(String), status: 'working' }) });
  const { taskId } = created.result.task;

  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    expect((await other.request(method, { taskId })).error).toEqual(unknown);
  }
  expect((await other.request('tasks/list')).result).toEqual({ tasks: [] });
  expect((await one.request('tasks/list')).result.tasks).toMatchObject([{ taskId }]);
  const { result } = await one.request('tasks/result', { taskId });
  expect(result).toMatchObject({
    content: [{ type: 'text', text: '5' }],
    _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
  });
  expect((await one.request('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed' });
});

test('a client that wants no task gets the result of a tool that is nothing but one', async () => {
  const gateway = await open({ name: 'tasks', ...testServer('tasks'), autoStart: true });
  const { request } = await connect(gateway);
  const { result } = await request('tools/call', { name: 'add_slowly', arguments: { a: 2, b: 3 } });
  expect(result.content).toEqual([{ type: 'text', text: '5' }]);
});

test('tasks of two servers of 2026-07-28 are distinguished, polled and completed', async () => {
  const ask = serve(await open(modern('left'), modern('right')));
  const ids: string[] = [];
  for (const server of ['left', 'right']) {
    const call = { name: `mcp__${server}__confirm_delete`, arguments: { filename: server } };
    const { result } = await ask('alice', 'tools/call', call);
    expect(result).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(new RegExp(`^mcp\\+${server}:`)),
    });
    expect(result).not.toHaveProperty('content');
    ids.push(result.taskId);
  }
  for (const taskId of ids) {
    expect((await ask('bob', 'tasks/get', { taskId })).error).toEqual(unknown);
    const { result } = await ask('alice', 'tasks/get', { taskId });
    expect(result).toMatchObject({ taskId, status: 'input_required', inputRequests: { confirm: expect.anything() } });
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    expect((await ask('alice', 'tasks/update', { taskId, inputResponses })).result).toMatchObject({
      resultType: 'complete',
    });
  }
  for (const [index, server] of ['left', 'right'].entries()) {
    const { result } = await ask('alice', 'tasks/get', { taskId: ids[index] });
    expect(result).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: `Deleted ${server}` }] },
    });
  }
});

test('what a single server adds to the protocol passes', async () => {
  const ask = serve(await open(modern('only')));
  const { result } = await ask('alice', 'server/discover');
  expect(result.capabilities.extensions).toEqual({
    [TASKS]: {},
    'io.modelcontextprotocol/skills': { directoryRead: true },
  });
  const { skills } = (await ask('alice', 'skills/list')).result;
  expect(skills).toHaveLength(2);
  const { uri } = skills[0];
  expect((await ask('alice', 'skills/get', { uri })).result.skill).toEqual(skills[0]);
  const refused = await ask('alice', 'skills/get', { uri: 'skill://none/SKILL.md' });
  expect(refused.error).toMatchObject({ code: -32_602, message: 'No skill is served at skill://none/SKILL.md' });
  expect((await ask('alice', 'acme/brew')).error).toEqual({ code: -32_601, message: 'Method not found' });
});
