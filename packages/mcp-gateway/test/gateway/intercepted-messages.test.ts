import { createRegistry } from '@x/mcp-registry';
import { type InterceptedMessage, type Interceptor, redactResults } from '@x/mcp-registry/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { createRegistryHandler } from '../../src/index.js';
import { modernHeaders, modernMeta, modernRequest, postRequest } from '../helpers/http-requests.js';
import { overStdio } from './helpers/answering-client.js';
import { attachAll, createAskingUpstream } from './helpers/asking-upstream.js';
import { connectRaw } from './helpers/raw-clients.js';
import { createWorker, upstreamsOf } from './helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const secret = 'hunter2-correct-horse';
const redaction = redactResults({ redact: [secret] });

async function openWorker(interceptors: readonly Interceptor[] = [redaction]) {
  const registry = createRegistry({ interceptors });
  const worker = createWorker('left', { era: 'legacy' });
  await registry.attach(worker.source).ready;
  const upstreams = upstreamsOf(worker);
  const gateway = createGateway({ registry, upstreams: upstreams as never, names: 'as-is' });
  const client = await connectRaw(gateway);
  opened.push(registry, gateway, client);
  const say = (method: string, params: Record<string, unknown>) =>
    upstreams.events.emit('server-notification', { server: 'left', method, params });
  return { worker, client, say };
}

const asTask = { name: 'work', arguments: {}, task: {} };

describe('no secret leaves', () => {
  test('in tasks, their lists and their notifications', async () => {
    const { worker, client, say } = await openWorker();
    const task = (await client.request('tools/call', asTask)).result.task;
    const { taskId } = task;
    const hidden = { taskId, status: 'working', statusMessage: 'is ***' };
    worker.answer = ({ params }) => ({ ...params, status: 'working', statusMessage: `is ${secret}` });
    expect((await client.request('tasks/get', { taskId })).result).toEqual(hidden);
    expect((await client.request('tasks/cancel', { taskId })).result).toEqual(hidden);
    worker.answer = () => ({ tasks: [{ taskId: 'task-1', status: 'working', statusMessage: `is ${secret}` }] });
    expect((await client.request('tasks/list')).result).toEqual({ tasks: [hidden] });
    say('notifications/tasks/status', { taskId: 'task-1', status: 'working', statusMessage: `is ${secret}` });
    await client.request('ping');
    expect(client.told).toEqual([{ method: 'notifications/tasks/status', params: hidden }]);
  });

  test('in methods, notifications, progress and errors of extensions', async () => {
    const { worker, client, say } = await openWorker();
    worker.answer = ({ options }) => {
      options.onProgress?.({ progress: 1, message: `at ${secret}` });
      return { brew: [secret], inputRequests: { q: { method: 'elicitation/create', params: { message: secret } } } };
    };
    const { result } = await client.request('acme/brew', { _meta: { progressToken: 'p' } });
    expect(result).toEqual({
      brew: ['***'],
      inputRequests: { q: { method: 'elicitation/create', params: { message: '***' } } },
    });
    say('notifications/acme/brewed', { cups: secret });
    worker.answer = () => Promise.reject(Object.assign(new Error(`No ${secret}`), { code: -32_001, data: secret }));
    expect((await client.request('acme/brew')).error).toEqual({ code: -32_001, message: 'No ***', data: '***' });
    expect(client.told).toEqual([
      { method: 'notifications/progress', params: { progress: 1, message: 'at ***', progressToken: 'p' } },
      { method: 'notifications/acme/brewed', params: { cups: '***' } },
    ]);
  });
});

describe.each(['modern', 'v1'] as const)('with a %s client', (kind) => {
  async function open(ask: Parameters<typeof createAskingUpstream>[2]['ask'] & {}) {
    const registry = createRegistry({ interceptors: [redaction] });
    const upstreams = await attachAll(registry, [createAskingUpstream('old', 'legacy', { ask })]);
    const gateway = createGateway({ registry, upstreams });
    const asked: unknown[] = [];
    const elicitation = (params: { readonly message: string }) => {
      asked.push(params.message);
      return { action: 'accept', content: {} };
    };
    const client = await overStdio(gateway)(kind, { answers: { elicitation } });
    opened.push(registry, gateway, client);
    return { client, asked };
  }

  const ask = { method: 'elicitation/create', params: { message: `Is it ${secret}?`, requestedSchema: {} } };
  const form = { ...ask.params, requestedSchema: { type: 'object', properties: {} } };
  const asking = async ({
    handler,
    signal = new AbortController().signal,
  }: Parameters<Parameters<typeof open>[0]>[0]) => handler?.answer({ ...ask, params: form }, { server: 'old', signal });

  test('questions of a call, a read and a prompt have none', async () => {
    const { client, asked } = await open(async (options, { uri, arguments: args }) => {
      await asking(options);
      if (uri !== undefined) return { contents: [] };
      return args === undefined ? { messages: [] } : { content: [], messages: [] };
    });
    await client.request('tools/call', { name: 'mcp__old__ask', arguments: {} });
    await client.request('resources/read', { uri: 'mcp+old:ask:ask' });
    await client.request('prompts/get', { name: 'mcp__old__ask' });
    expect(asked).toEqual(['Is it ***?', 'Is it ***?', 'Is it ***?']);
  });

  test('completions and their errors have none', async () => {
    let fails = false;
    const { client } = await open(async () => {
      if (fails) throw Object.assign(new Error(`No ${secret}`), { code: -32_001, data: { at: secret } });
      return { completion: { values: [secret, 'other'] } };
    });
    const params = { ref: { type: 'ref/prompt', name: 'mcp__old__ask' }, argument: { name: 'topic', value: '' } };
    const { completion } = await client.request('completion/complete', params);
    expect(completion.values).toEqual(['***', 'other']);
    fails = true;
    const error = await client.request('completion/complete', params).catch((failure) => failure);
    expect(error).toMatchObject({ code: -32_001, data: { at: '***' } });
    expect(error.message).toContain('No ***');
  });
});

test('messages pass the interceptors in reverse, with what they are about', async () => {
  const seen: Omit<InterceptedMessage, 'body'>[] = [];
  const mark = (name: string): Interceptor => ({
    name,
    message({ body, ...origin }) {
      if (name === 'first') seen.push(origin);
      return { ...body, by: [...((body.by as string[]) ?? []), name] };
    },
  });
  const { worker, client, say } = await openWorker([mark('first'), mark('second')]);
  worker.answer = () => ({ brew: 1 });
  const by = ['second', 'first'];
  expect((await client.request('acme/brew')).result).toEqual({ brew: 1, by });
  expect((await client.request('tools/call', asTask)).result).toMatchObject({ task: { taskId: 'task-1' }, by });
  say('notifications/acme/brewed', {});
  await client.request('ping');
  expect(client.told).toEqual([{ method: 'notifications/acme/brewed', params: { by } }]);
  worker.answer = () => Promise.reject(Object.assign(new Error('No'), { code: -32_001 }));
  await client.request('acme/brew');
  const origin = { server: 'left', caller: {} };
  expect(seen).toEqual([
    { kind: 'result', method: 'acme/brew', ...origin },
    { kind: 'result', method: 'tools/call', ...origin },
    { kind: 'notification', method: 'notifications/acme/brewed', ...origin },
    { kind: 'error', method: 'acme/brew', ...origin },
  ]);
});

test('the progress of a tool of a served registry passes, too', async () => {
  const registry = createRegistry({ interceptors: [redaction] });
  registry.register({ name: 'work', description: 'Works' }, (_args, { reportProgress }) => {
    reportProgress({ progress: 1, message: `at ${secret}` });
    return 'done';
  });
  const handler = createRegistryHandler(registry, { allowAnonymous: true });
  opened.push(registry, handler);
  const params = { name: 'work', arguments: {}, _meta: { ...modernMeta, progressToken: 'p' } };
  const request = { ...modernRequest('tools/call'), params };
  const response = await handler.fetch(postRequest(request, modernHeaders('tools/call', 'work')));
  const text = await response.text();
  expect(text).toContain('at ***');
});

test.each([
  [
    'throws',
    () => {
      throw new Error(secret);
    },
  ],
  ['returns no object', () => 'text'],
  ['returns a promise', async () => ({})],
])('an interceptor that %s notifications and refuses all else', async (_, message) => {
  const broken: Interceptor = { name: 'broken', message: message as never };
  const { client, say, worker } = await openWorker([broken]);
  worker.answer = () => ({ brew: 1 });
  const { error } = await client.request('acme/brew');
  expect(error).toMatchObject({ code: -32_603, message: expect.not.stringContaining(secret) });
  say('notifications/acme/brewed', {});
  await client.request('ping');
  expect(client.told).toEqual([]);
});
