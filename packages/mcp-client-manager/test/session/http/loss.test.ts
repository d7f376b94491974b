import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { HttpServerSpec } from '../../../src/spec.js';
import {
  answerJson,
  type ScriptedHttp,
  type ScriptedHttpOptions,
  startScriptedHttp,
  textResult,
} from '../../helpers/scripted-http.js';
import { failureOf, managerOf, managerWith, stateOf, textOf } from '../../helpers/servers.js';

let server: ScriptedHttp;
afterEach(() => server?.close());

async function start(options?: ScriptedHttpOptions): Promise<HttpServerSpec> {
  server = await startScriptedHttp(options);
  return { name: 'web', url: server.url, protocol: 'legacy' };
}

const calls = (): number => server.log.filter((method) => method === 'tools/call').length;
const eventStream = { 'content-type': 'text/event-stream' };
const event = (id: string, message?: object): string =>
  `id: ${id}\ndata: ${message ? JSON.stringify(message) : ''}\n\n`;

test('repeats a call in a new session if the server forgot the old one', async () => {
  await using manager = managerOf(await start());
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  server.sessions.clear();
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  expect(server.sessions.size).toBe(1);
  expect(calls()).toBe(3);
  expect(manager.server('web').status.restarts).toBe(1);
});

test('HTTP 404 for one call fails only that call', async () => {
  const { promise: slow, resolve: answerSlow } = withResolver<void>();
  const spec = await start({
    onCall: ({ id, args, response }) => {
      if (args.slow) void slow.then(() => answerJson(response, id, textResult('late')));
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"user not found"}');
    },
  });
  await using manager = managerOf(spec);
  const late = manager.callTool('web', 'act', { slow: true });
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'server-error',
    retryable: false,
    message: expect.stringContaining('HTTP 404'),
  });
  answerSlow();
  expect(textOf(await late)).toBe('late');
  expect(calls()).toBe(2);
  expect(manager.server('web').status.restarts).toBe(0);
});

test.each(['tools/call', 'prompts/get'])('sends a %s that ends each session to two sessions', async (method) => {
  let sent = 0;
  const spec = await start({
    capabilities: { tools: {}, prompts: {} },
    onMessage: (message, response) => {
      if (message.method !== method) return false;
      sent += 1;
      server.sessions.clear();
      response.writeHead(404).end();
      return true;
    },
  });
  await using manager = managerOf(spec);
  const web = manager.server('web');
  const request = method === 'tools/call' ? web.callTool('act') : web.request(method, { name: 'x' });
  expect(await failureOf(request)).toMatchObject({
    code: 'outcome-unknown',
    retryable: false,
    message: expect.stringContaining('HTTP 404, in a new session, too'),
  });
  expect(sent).toBe(2);
  expect(await web.request('ping', {})).toEqual({});
});

test('slow calls still get their results after the session is forgotten', async () => {
  const { promise: slow, resolve: answerSlow } = withResolver<void>();
  const spec = await start({
    onCall: ({ id, args, response }) => {
      if (args.slow) void slow.then(() => answerJson(response, id, textResult('late')));
      else answerJson(response, id, textResult('done'));
    },
  });
  await using manager = managerOf(spec);
  const late = manager.callTool('web', 'act', { slow: true });
  await manager.callTool('web', 'act');
  server.sessions.clear();
  const second = manager.callTool('web', 'act');
  await stateOf(manager, 'web', 'stopping');
  answerSlow();
  expect(textOf(await late)).toBe('late');
  expect(textOf(await second)).toBe('done');
});

test('close ends the session at the server', async () => {
  const manager = managerOf(await start());
  await manager.server('web').start();
  expect(server.sessions.size).toBe(1);
  await manager.close();
  expect(server.sessions.size).toBe(0);
  expect(server.log.at(-1)).toBe('DELETE');
});

test('close leaves no stream open', async () => {
  let open = 0;
  const { promise: begun, resolve: begin } = withResolver<void>();
  const { promise: ended, resolve: end } = withResolver<void>();
  const spec = await start({
    onGet: (_, response) => {
      open += 1;
      response.writeHead(200, eventStream).write(': here\n\n', () => begin());
      response.on('close', () => {
        open -= 1;
        end();
      });
    },
  });
  const manager = managerOf(spec);
  await manager.server('web').start();
  await begun;
  await manager.close();
  await ended;
  expect(open).toBe(0);
});

test('close does not wait for a server that ignores the end of its session', async () => {
  const manager = managerOf(await start({ onDelete: () => undefined }));
  await manager.server('web').start();
  await manager.close();
  expect(server.log.at(-1)).toBe('DELETE');
});

test('the next call detects a lost server, and a later one reconnects', async () => {
  const spec = await start();
  await using manager = managerOf(spec);
  await manager.server('web').start();
  await server.close();
  const lost = stateOf(manager, 'web', 'backoff');
  const call = failureOf(manager.callTool('web', 'act'));
  await lost;
  // The outcome depends on how much of the connection was left.
  expect(await call).toMatchObject({ code: expect.stringMatching(/^(start-failed|connection-lost|outcome-unknown)$/) });
  server = await startScriptedHttp({ port: server.port });
  await manager.server('web').start();
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
});

test('detects a server that is lost during a call', async () => {
  const spec = await start({ onCall: () => void server.close() });
  await using manager = managerOf(spec);
  await manager.server('web').start();
  const lost = stateOf(manager, 'web', 'backoff');
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({ code: 'outcome-unknown' });
  await lost;
});

test('one broken connection does not affect the session and other calls', async () => {
  const { promise: slow, resolve: answerSlow } = withResolver<void>();
  const spec = await start({
    onCall: ({ id, args, request, response }) => {
      if (args.slow) void slow.then(() => answerJson(response, id, textResult('late')));
      else request.socket.destroy();
    },
  });
  await using manager = managerOf(spec);
  const late = manager.callTool('web', 'act', { slow: true });
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({ code: 'outcome-unknown' });
  answerSlow();
  expect(textOf(await late)).toBe('late');
  expect(manager.server('web').status.restarts).toBe(0);
});

test('resumes a stream that breaks during a call', async () => {
  let callId = 0;
  const seen: unknown[] = [];
  const spec = await start({
    onCall: ({ id, response, request }) => {
      callId = id;
      response.writeHead(200, eventStream).write(event('first'), () => request.socket.destroy());
    },
    onGet: (request, response) => {
      const last = request.headers['last-event-id'];
      if (last === undefined) return void response.writeHead(405).end();
      seen.push(last);
      response.writeHead(200, eventStream);
      response.end(event('second', { jsonrpc: '2.0', id: callId, result: textResult('resumed') }));
    },
  });
  await using manager = managerOf(spec);
  expect(textOf(await manager.callTool('web', 'act'))).toBe('resumed');
  expect(seen).toEqual(['first']);
  expect(calls()).toBe(1);
});

const pausedBy = (onStreamPause: () => void, owner: string) => ({
  handler: { client: owner, owner, capabilities: {}, onStreamPause, answer: async () => ({}) },
});

test.each([
  ['ends', (response: ServerResponse) => response.end(), 1],
  ['breaks', (response: ServerResponse) => response.destroy(), 0],
] as const)('a stream that %s and is resumed pauses its call only if it ended', async (_, finish, expected) => {
  let callId = 0;
  const spec = await start({
    onCall: ({ id, response }) => {
      callId = id;
      response.writeHead(200, eventStream).write(event('first'), () => finish(response));
    },
    onGet: (request, response) => {
      const last = request.headers['last-event-id'];
      if (last === undefined) return void response.writeHead(405).end();
      const answer = { jsonrpc: '2.0', id: callId, result: textResult('resumed') };
      response.writeHead(200, eventStream);
      response.write(last === 'first' ? event('second') : event('third', answer), () => finish(response));
    },
  });
  await using manager = managerOf(spec);
  let pauses = 0;
  const options = pausedBy(() => void pauses++, 'ann');
  expect(textOf(await manager.callTool('web', 'act', {}, options))).toBe('resumed');
  expect(pauses).toBe(2 * expected);
});

test('a message on a resumed stream is about the call whose stream it is', async () => {
  let callId = 0;
  const { promise: slow, resolve: answerSlow } = withResolver<void>();
  const spec = await start({
    capabilities: { tools: {}, logging: {} },
    onCall: ({ id, args, response }) => {
      if (args.slow) return void slow.then(() => answerJson(response, id, textResult('late')));
      callId = id;
      response.writeHead(200, eventStream).end(event('first'));
    },
    onGet: (request, response) => {
      if (request.headers['last-event-id'] === undefined) return void response.writeHead(405).end();
      const entry = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'x' } };
      const answer = { jsonrpc: '2.0', id: callId, result: textResult('resumed') };
      response.writeHead(200, eventStream).end(event('second', entry) + event('third', answer));
    },
  });
  await using manager = managerOf(spec);
  const abouts: unknown[] = [];
  manager.events.on('server-log', ({ about }) => void abouts.push(about));
  const late = manager.callTool(
    'web',
    'act',
    { slow: true },
    pausedBy(() => undefined, 'bob'),
  );
  const resumed = await manager.callTool(
    'web',
    'act',
    {},
    pausedBy(() => undefined, 'ann'),
  );
  expect(textOf(resumed)).toBe('resumed');
  expect(abouts).toEqual([{ owner: 'ann' }]);
  answerSlow();
  await late;
});

test('limits reconnections to a stream with a retry delay of 0', async () => {
  let streams = 0;
  const { promise: fourth, resolve: isFourth } = withResolver<void>();
  const spec = await start({
    onGet: (_, response) => {
      streams += 1;
      if (streams === 4) isFourth();
      response.writeHead(200, eventStream).end('retry: 0\n\n');
    },
  });
  await using manager = managerOf(spec);
  const startedAt = performance.now();
  await manager.server('web').start();
  await fourth;
  expect(performance.now() - startedAt).toBeGreaterThan(3 * 240);
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
});

test.each([
  ['ends', (response: ServerResponse) => response.end()],
  ['breaks off', (response: ServerResponse) => response.destroy()],
])('a stream that %s without the response and cannot be resumed fails its call at once', async (_, finish) => {
  const spec = await start({
    onCall: ({ response }) => {
      response.writeHead(200, eventStream).write(': working\n\n', () => finish(response));
    },
  });
  await using manager = managerOf(spec);
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({ code: 'outcome-unknown' });
  expect(manager.server('web').phase).toBe('ready');
});

test('HTTP 404 for the standalone stream keeps the session', async () => {
  await using manager = managerOf(await start({ onGet: (_, response) => void response.writeHead(404).end() }));
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  await manager.server('web').checkHealth();
  expect(manager.server('web').status.restarts).toBe(0);
});

test.each(['json', 'events'])(
  'a result over the limit fails its call and leaves the connection alone (%s)',
  async (as) => {
    const spec = await start({
      onCall: ({ id, args, response }) => {
        const result = textResult('x'.repeat(Number(args.bytes)));
        if (as === 'json') return void answerJson(response, id, result);
        response.writeHead(200, eventStream).end(event('1', { jsonrpc: '2.0', id, result }));
      },
    });
    await using manager = managerWith({ maxMessageBytes: 10_000 }, spec);
    const server = manager.server('web');
    const [large, small] = await Promise.all([
      failureOf(server.callTool('act', { bytes: 1_000_000 })),
      server.callTool('act', { bytes: 10 }),
    ]);
    expect(large).toMatchObject({ code: 'result-too-large' });
    expect(textOf(small)).toBe('x'.repeat(10));
    expect(server.status.restarts).toBe(0);
  },
);

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}
