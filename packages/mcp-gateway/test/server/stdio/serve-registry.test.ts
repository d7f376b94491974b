import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { createRegistry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { describe, expect, inject, test } from 'vitest';
import { serveRegistry } from '../../../src/index.js';
import { connectFixture } from '../../helpers/connect-fixture.js';
import { initialize, modernRequest } from '../../helpers/http-requests.js';
import { rawConnection } from '../../helpers/raw-connection.js';

test.each(['modern', 'legacy'] as const)(
  'ends by itself when a %s client disconnects, with a call in progress',
  async (era) => {
    const { client, whatClosed, pid } = await connectFixture(era);
    await new Promise<void>((resolve) => {
      client.call({ name: 'wait' }, { onprogress: () => resolve() }).catch(() => undefined);
    });
    await client[Symbol.asyncDispose]();
    await whatClosed;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);

test('refuses more than 2,000 concurrent requests, and responds again when one has ended', async () => {
  const program = join(inject('programsFolder'), 'serve-native.js');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say(initialize());
  expect(await next()).toMatchObject({ id: 0, result: {} });
  for (let id = 1; id <= 2_000; id++) say({ id, method: 'tools/call', params: { name: 'wait' } });
  say({ id: 2_001, method: 'ping' });
  expect(await next()).toEqual({
    jsonrpc: '2.0',
    id: 2_001,
    error: { code: -32_000, message: expect.stringContaining('retry later') },
  });
  say({ method: 'notifications/cancelled', params: { requestId: 7 } });
  say({ id: 2_002, method: 'ping' });
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 2_002, result: {} });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

describe('a limit on requests', () => {
  const call = (id: number) => modernRequestOf(id, 'tools/call', { name: 'wait' });
  const modernRequestOf = (id: number, method: string, params: object) => ({ ...modernRequest(method, params), id });

  test('refuses neither cancellations nor subscriptions, and subscriptions do not count', async () => {
    const registry = createRegistry();
    registry.register({ name: 'wait', description: '' }, () => new Promise(() => {}));
    await using connection = rawConnection((options) => serveRegistry(registry, { ...options, maxRequests: 1 }));
    const listen = (id: number) =>
      modernRequestOf(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const acknowledged = { method: 'notifications/subscriptions/acknowledged' };
    expect(await connection.ask(listen(1), listen(2))).toMatchObject([acknowledged, acknowledged]);
    connection.say(call(3), call(4), listen(5));
    expect(await connection.next(2)).toMatchObject([{ id: 4, error: { code: -32_000 } }, acknowledged]);
    connection.say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    expect(await connection.ask(modernRequestOf(3, 'tools/list', {}))).toMatchObject([{ id: 3, result: {} }]);
  });

  test('must be an integer of at least one', () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    for (const maxRequests of [0, 1.5, Number.NaN]) {
      expect(() => serveRegistry(createRegistry(), { stdin, stdout, maxRequests })).toThrow(/maxRequests/);
    }
  });
});

describe('a registry over given streams', () => {
  function serve(registry = createRegistry()) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const messages: { id?: number; method?: string; result?: Record<string, never>; error?: object }[] = [];
    const waiting = new Set<() => void>();
    stdout.on('data', (data) => {
      messages.push(
        ...String(data)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
      for (const check of waiting) check();
    });
    const until = (isIt: (message: (typeof messages)[number]) => boolean) =>
      new Promise<(typeof messages)[number]>((resolve) => {
        const check = () => {
          const message = messages.find(isIt);
          if (message === undefined) return;
          waiting.delete(check);
          resolve(message);
        };
        waiting.add(check);
        check();
      });
    const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const initialize = async () => {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      send({ id: 0, method: 'initialize', params });
      const answer = await until(({ id }) => id === 0);
      send({ method: 'notifications/initialized' });
      send({ id: 1, method: 'ping' });
      await until(({ id }) => id === 1);
      return answer;
    };
    return {
      registry,
      stdin,
      stdout,
      messages,
      until,
      send,
      initialize,
      serving: serveRegistry(registry, { stdin, stdout }),
    };
  }

  test('notifies of changed tools, but not of the state of a server', async () => {
    const { registry, messages, until, send, initialize } = serve();
    expect((await initialize()).result).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    const source = createListSource('git', [tool('log')]);
    await registry.attach(source).ready;
    const isChange = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed';
    await until(isChange);

    const change = new Promise((resolve) => registry.events.on('tools-changed', resolve));
    source.state = 'stopped';
    source.announce();
    await change;
    send({ id: 2, method: 'ping' });
    await until(({ id }) => id === 2);
    expect(messages.filter(isChange)).toHaveLength(1);
  });

  test('sends no notification before the client is initialized', async () => {
    const { registry, messages, initialize } = serve();
    registry.register({ name: 'early', description: '' }, () => '');
    await initialize();
    expect(messages.map(({ id, method }) => id ?? method)).toEqual([0, 1]);
  });

  test('lists a tool with invalid optional parts without them', async () => {
    const { registry, until, send, initialize } = serve();
    const odd = tool('odd', { annotations: { readOnlyHint: 'yes' }, inputSchema: { properties: {} } });
    await registry.attach(createListSource('git', [odd])).ready;
    await initialize();
    send({ id: 2, method: 'tools/list' });
    expect((await until(({ id }) => id === 2)).result?.tools).toContainEqual({
      name: 'mcp__git__odd',
      description: 'Does odd',
      inputSchema: { type: 'object', properties: {} },
    });
  });

  test('sends progress before the result, only to a client with a token', async () => {
    const { registry, messages, until, send, initialize } = serve();
    registry.register({ name: 'count', description: '' }, (_, { reportProgress }) => {
      reportProgress({ progress: 1 });
      reportProgress({ progress: 2, total: 2 });
      return 'counted';
    });
    await initialize();
    messages.length = 0;
    send({ id: 2, method: 'tools/call', params: { name: 'count' } });
    await until(({ id }) => id === 2);
    send({ id: 3, method: 'tools/call', params: { name: 'count', _meta: { progressToken: 'token' } } });
    await until(({ id }) => id === 3);
    expect(messages).toMatchObject([
      { id: 2 },
      { method: 'notifications/progress', params: { progressToken: 'token', progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 'token', progress: 2, total: 2 } },
      { id: 3 },
    ]);
  });

  test('returns an error of a source as a result', async () => {
    const { registry, until, send, initialize } = serve();
    const fail = () => Promise.reject(Object.assign(new Error('the server is gone'), { code: 'connection-lost' }));
    await registry.attach(createListSource('git', [tool('log')], fail)).ready;
    await initialize();
    send({ id: 2, method: 'tools/call', params: { name: 'mcp__git__log' } });
    expect((await until(({ id }) => id === 2)).result).toEqual({
      content: [{ type: 'text', text: 'the server is gone' }],
      isError: true,
    });
  });

  test('continues after a line that is not a message, and reports it', async () => {
    const { stdin, initialize, messages } = serve();
    stdin.write('not json\n');
    await initialize();
    expect(messages.map(({ id }) => id)).toEqual([0, 1]);
  });

  test('ends with stdin, and releases the registry', async () => {
    const { stdin, serving, registry, initialize } = serve();
    let onAbort = () => {};
    const aborted = new Promise<void>((resolve) => (onAbort = resolve));
    const started = new Promise<void>((resolve) => {
      registry.register({ name: 'wait', description: '' }, (_, { signal }) => {
        signal.addEventListener('abort', onAbort);
        resolve();
        return new Promise(() => {});
      });
    });
    await initialize();
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } })}\n`);
    await started;
    stdin.end();
    await serving.closed;
    await aborted;
    await serving.close();
    expect((await registry.search({ query: 'wait' })).total).toBe(1);
  });

  test('close() ends the connection and is idempotent', async () => {
    const { stdin, serving, initialize } = serve();
    await initialize();
    await Promise.all([serving.close(), serving.close()]);
    await serving.closed;
    expect(stdin.listenerCount('data')).toBe(0);
  });
});
