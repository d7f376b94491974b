import { withResolvers } from '@x/internal/async';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, serveRegistry } from '../../../src/index.js';
import { asking, attachAll, createAskingUpstream, toText } from '../../gateway/helpers/asking-upstream.js';
import { initialize, modernMeta, modernRequest } from '../../helpers/http-requests.js';
import { type RawConnection, rawConnection } from '../../helpers/raw-connection.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

function serve(): RawConnection {
  const registry = createRegistry();
  const connection = rawConnection((options) => serveRegistry(registry, options));
  opened.push(registry, connection);
  return connection;
}

async function serveAsking(): Promise<RawConnection> {
  const registry = createRegistry();
  const upstream = createAskingUpstream('old', 'modern', { fine: async () => toText('fine') });
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [upstream]) });
  const connection = rawConnection(({ onError: _, ...options }) => gateway.serve(options));
  opened.push(registry, gateway, connection);
  return connection;
}

async function serveNative(answer: () => unknown): Promise<RawConnection> {
  const registry = createRegistry();
  registry.register({ name: 'odd', description: '' }, answer);
  const connection = rawConnection((options) => serveRegistry(registry, options));
  opened.push(registry, connection);
  await connection.ask(initialize());
  return connection;
}

const request = (id: number, method: string, params: object = {}, meta: object = modernMeta) => ({
  ...modernRequest(method, params),
  id,
  params: { ...params, _meta: meta },
});
const errorsOf = (messages: readonly { readonly error?: { readonly code: number } }[]) =>
  messages.map(({ error }) => error?.code);

describe('the first messages of a connection', () => {
  test('choose the handshake, in a revision of both sides', async () => {
    for (const [asked, agreed] of [
      ['2025-06-18', '2025-06-18'],
      ['2023-01-01', '2025-11-25'],
      ['2026-07-28', '2025-11-25'],
    ]) {
      const [answer] = await serve().ask(initialize(asked));
      expect(answer.result.protocolVersion).toBe(agreed);
    }
  });

  test('may probe, and fall back to the handshake without waiting for the response', async () => {
    const connection = serve();
    const answers = await connection.ask(request(1, 'server/discover'), { ...initialize(), id: 2 });
    expect(answers[0]).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'], resultType: 'complete' } });
    expect(answers[1]).toMatchObject({ id: 2, result: { protocolVersion: '2025-11-25' } });
    expect(errorsOf(await connection.ask({ id: 3, method: 'ping' }, { id: 4, method: 'server/discover' }))).toEqual([
      undefined,
      -32_601,
    ]);
  });

  test('commit a client with any other request to revision 2026-07-28', async () => {
    const connection = serve();
    await connection.ask(request(1, 'server/discover'), request(2, 'tools/list'));
    const [late, bare, claiming] = await connection.ask(
      { ...initialize(), id: 3 },
      { id: 4, method: 'initialize' },
      request(5, 'initialize'),
    );
    const supported = ['2026-07-28'];
    expect(late.error).toMatchObject({ code: -32_022, data: { supported, requested: '2025-11-25' } });
    expect(bare.error).toMatchObject({ code: -32_022, data: { supported } });
    expect(claiming.error.code).toBe(-32_601);
  });

  test('are refused without a valid description of the client, and commit to nothing', async () => {
    const connection = serve();
    const answers = await connection.ask(
      request(1, 'tools/list', {}, { [VERSION]: '2026-07-28' }),
      request(2, 'tools/list', {}, { ...modernMeta, [VERSION]: '2027-01-01' }),
      request(3, 'tools/list', {}, { ...modernMeta, [VERSION]: 5 }),
      initialize(),
    );
    expect(errorsOf(answers)).toEqual([-32_602, -32_022, -32_602, undefined]);
    expect(answers[0].error.data).toEqual({
      envelope: { key: 'io.modelcontextprotocol/clientCapabilities', problem: 'missing' },
    });
  });

  test('must not be responses', async () => {
    const connection = serve();
    connection.say({ id: 1, result: {} });
    await connection.ask(initialize());
    expect(connection.errors).toEqual([
      'Discarded a JSON-RPC response received before the connection negotiated an era',
    ]);
  });
});

describe('requests', () => {
  test('of revision 2026-07-28 describe their client', async () => {
    const connection = serve();
    await connection.ask(request(1, 'tools/list'));
    const answers = await connection.ask(
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'no/such' },
      request(4, 'tools/list', {}, { ...modernMeta, [VERSION]: '2027-01-01' }),
    );
    expect(errorsOf(answers)).toEqual([-32_602, -32_601, -32_022]);
  });

  test.each(['no/such', 'constructor', '__proto__', 'prompts/list', 'server/discover', 'subscriptions/listen'])(
    'of an earlier revision with an unknown method are refused: %s',
    async (method) => {
      const connection = serve();
      const [, answer] = await connection.ask(initialize(), { id: 1, method });
      expect(answer.error).toEqual({ code: -32_601, message: 'Method not found' });
    },
  );

  test.each(['ping', 'logging/setLevel', 'resources/subscribe', 'tasks/result', 'tasks/get'])(
    'of revision 2026-07-28 with an unknown method are refused: %s',
    async (method) => {
      const [answer] = await (await serveAsking()).ask(request(1, method));
      expect(answer.error).toEqual({ code: -32_601, message: 'Method not found' });
    },
  );

  test.each([
    { method: 'tools/list', params: { cursor: 1 } },
    { method: 'tools/call', params: {} },
    { method: 'tools/call', params: { name: 'a', arguments: [] } },
    { method: 'tools/call', params: { name: 'a', task: { ttl: 'long' } } },
    { method: 'tools/call', params: { name: 'a', requestState: 5 } },
    { method: 'prompts/get', params: { name: 'a', arguments: { a: 1 } } },
    { method: 'resources/read', params: {} },
    { method: 'resources/subscribe', params: { uri: 5 } },
    { method: 'completion/complete', params: { ref: { type: 'ref/none' } } },
    { method: 'logging/setLevel', params: { level: 'loud' } },
    { method: 'initialize', params: { protocolVersion: '2025-11-25' } },
  ])('with invalid params are refused: $method $params', async ({ method, params }) => {
    const connection = await serveAsking();
    const [, answer] = await connection.ask(initialize(), { id: 1, method, params });
    expect(answer.error.code).toBe(-32_602);
  });
});

describe('a client that violates the protocol', () => {
  const call = (id: number, name: string) => ({ id, method: 'tools/call', params: { name } });
  const cancel = (reason: unknown) => ({ method: 'notifications/cancelled', params: { requestId: 1, reason } });

  async function serveQuestion() {
    const registry = createRegistry();
    const ended = withResolvers<unknown>();
    const ask = asking('elicitation/create', {
      message: 'Go on?',
      requestedSchema: { type: 'object', properties: {} },
    });
    const upstream = createAskingUpstream('old', 'legacy', {
      ask: async (options) => {
        const answer = await ask(options);
        ended.resolve(options.signal?.reason);
        return toText(answer);
      },
    });
    const gateway = createGateway({ registry, upstreams: await attachAll(registry, [upstream]) });
    const connection = rawConnection(({ onError: _, ...options }) => gateway.serve(options));
    opened.push(registry, gateway, connection);
    const hello = initialize();
    await connection.ask({ ...hello, params: { ...hello.params, capabilities: { elicitation: {} } } });
    return { connection, ended: ended.promise };
  }

  test('may send a cancellation with a reason that is no text', async () => {
    const { connection, ended } = await serveQuestion();
    const [question] = await connection.ask(call(1, 'mcp__old__ask'));
    expect(question).toMatchObject({ method: 'elicitation/create' });
    connection.say(cancel({ toString: 1, valueOf: 1 }));
    expect(await connection.next(1)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: question.id } },
    ]);
    expect(await ended).toBeInstanceOf(DOMException);
  });

  test('may respond with an error, of which code, message and data count', async () => {
    const { connection } = await serveQuestion();
    const [question] = await connection.ask(call(1, 'mcp__old__ask'));
    const error = '{"code":-32000,"message":"no","data":5,"stack":1,"toString":1,"__proto__":{"code":1}}';
    connection.say({ id: question.id, error: JSON.parse(error) });
    const [{ result }] = await connection.next(1);
    expect(JSON.parse(result.content[0].text)).toEqual({ refused: { code: -32_000, message: 'no', data: 5 } });
  });

  test('is refused a second request with the id of one in progress, and the first still ends with the connection', async () => {
    const registry = createRegistry();
    const signals: AbortSignal[] = [];
    registry.register({ name: 'wait', description: '' }, (_, { signal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
    const connection = rawConnection((options) => serveRegistry(registry, options));
    opened.push(registry, connection);
    await connection.ask(initialize());
    connection.say(call(1, 'wait'), call(1, 'wait'));
    const [refusal] = await connection.next(1);
    expect(refusal).toMatchObject({ id: 1, error: { code: -32_600 } });
    await connection.serving.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('may reuse the id of a cancelled request', async () => {
    const { connection } = await serveQuestion();
    await connection.ask(call(1, 'mcp__old__ask'));
    connection.say(cancel('changed my mind'), { id: 1, method: 'ping' });
    const answers = await connection.next(2);
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

describe('a handler', () => {
  test('whose result cannot be written as JSON gets an error', async () => {
    const connection = await serveNative(() => ({
      content: [],
      structuredContent: {
        toJSON: () => {
          throw new Error('secret');
        },
      },
    }));
    const [answer] = await connection.ask({ id: 1, method: 'tools/call', params: { name: 'odd' } });
    expect(answer).toMatchObject({ id: 1, error: { code: -32_603 } });
    expect(answer.error.message).not.toContain('secret');
  });
});

describe('an error of a server', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const fail = () => {
    throw new Error('secret');
  };

  test.each([
    ['a BigInt', { count: 1n }],
    ['a cycle', cycle],
    ['a toJSON that throws', { toJSON: fail }],
    ['a property that throws', Object.defineProperty({}, 'x', { get: fail, enumerable: true })],
  ])('with %s in its data is sent without them', async (_, data) => {
    const registry = createRegistry();
    const error = Object.assign(new Error('no more'), { code: -32_050, data });
    const upstream = createAskingUpstream('old', 'modern', { fail: () => Promise.reject(error) });
    const gateway = createGateway({ registry, upstreams: await attachAll(registry, [upstream]) });
    const connection = rawConnection(({ onError: _, ...options }) => gateway.serve(options));
    opened.push(registry, gateway, connection);
    const [, answer] = await connection.ask(initialize(), {
      id: 1,
      method: 'tools/call',
      params: { name: 'mcp__old__fail' },
    });
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_050, message: 'no more' } });
  });
});

describe('subscriptions/listen over a lasting connection', () => {
  let registry: Registry;
  let connection: RawConnection;
  let change: () => void;
  beforeEach(() => {
    registry = createRegistry();
    let tools = 0;
    change = () => void registry.register({ name: `tool_${++tools}`, description: '' }, () => '');
    connection = rawConnection((options) => serveRegistry(registry, options));
    opened.push(registry, connection);
  });
  const listen = (id: number, notifications: object) => request(id, 'subscriptions/listen', { notifications });
  const streamOf = (id: number) => ({ 'io.modelcontextprotocol/subscriptionId': id });

  test('acknowledges first, then notifies of each change, and returns a result when the server closes', async () => {
    const [first] = await connection.ask(listen(1, { toolsListChanged: true, promptsListChanged: true }));
    expect(first).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: streamOf(1) },
    });
    change();
    expect(await connection.next(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: streamOf(1) } },
    ]);
    await connection.serving.close();
    expect(await connection.next(1)).toMatchObject([{ id: 1, result: { resultType: 'complete', _meta: streamOf(1) } }]);
  });

  test('ends without a response when the client cancels it', async () => {
    await connection.ask(listen(1, { toolsListChanged: true }));
    connection.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await connection.ask(request(2, 'tools/list'));
    change();
    expect(await connection.ask(request(3, 'tools/list'))).toMatchObject([{ id: 3 }]);
  });

  test('ends with a result when the server closes, also with the id of one cancelled just before', async () => {
    await connection.ask(listen(1, { toolsListChanged: true }));
    connection.say(
      { method: 'notifications/cancelled', params: { requestId: 1 } },
      listen(1, { toolsListChanged: true }),
    );
    await connection.next(1);
    change();
    expect(await connection.next(1)).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
    await connection.serving.close();
    expect(await connection.next(1)).toMatchObject([{ id: 1, result: { resultType: 'complete', _meta: streamOf(1) } }]);
  });

  test('does not keep the server from closing if a call has the id of one cancelled just before', async () => {
    registry.register({ name: 'wait', description: '' }, (_, { reportProgress }) => {
      reportProgress({ progress: 1 });
      return new Promise(() => {});
    });
    await connection.ask(listen(1, { toolsListChanged: true }));
    connection.say(
      { method: 'notifications/cancelled', params: { requestId: 1 } },
      request(1, 'tools/call', { name: 'wait' }, { ...modernMeta, progressToken: 'token' }),
    );
    expect(await connection.next(1)).toMatchObject([{ method: 'notifications/progress' }]);
    await connection.serving.close();
  });

  test('ends at once if there is nothing to follow', async () => {
    connection.say(listen(1, { promptsListChanged: true }));
    expect(await connection.next(2)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
  });

  test('is refused with an invalid filter', async () => {
    const answers = await connection.ask(request(1, 'subscriptions/listen'), listen(2, { toolsListChanged: 'yes' }));
    expect(errorsOf(answers)).toEqual([-32_602, -32_602]);
  });
});
