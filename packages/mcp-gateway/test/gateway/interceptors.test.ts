import { createRegistry, RegistryError } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import type { Interceptor, RequestResult } from '@x/mcp-registry/interceptors';
import { textResult } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { overStdio } from './helpers/answering-client.js';
import { type Ask, attachAll, createAskingUpstream } from './helpers/asking-upstream.js';
import { post } from './helpers/raw-clients.js';
import { createWorker, upstreamsOf } from './helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const asks: Readonly<Record<string, Ask>> = {
  ask: async (_options, { uri }) =>
    uri === undefined
      ? { messages: [{ role: 'user', content: { type: 'text', text: 'a secret' } }] }
      : { contents: [{ uri, text: 'a secret' }] },
};

async function open(interceptors: readonly Interceptor[], kind: 'modern' | 'v1') {
  const events: AuditEvent[] = [];
  const registry = createRegistry({
    interceptors,
    roles: [{ role: 'guest', allowedTools: ['old'], allowedPrompts: ['old'], allowedResources: ['old:*'] }],
    audit: (event) => void events.push(event),
  });
  const upstreams = await attachAll(registry, [createAskingUpstream('old', 'legacy', asks)]);
  const gateway = createGateway({ registry, upstreams });
  opened.push(registry, gateway);
  const client = await overStdio(gateway)(kind, {}, { principal: 'ada', role: 'guest' });
  opened.push(client);
  return { client, events };
}

const redact = (result: RequestResult): RequestResult => JSON.parse(JSON.stringify(result).replaceAll('secret', '…'));

describe.each(['modern', 'v1'] as const)('with a %s client', (kind) => {
  test('reads and prompts are changed, answered and refused, which audit sees', async () => {
    const seen: unknown[] = [];
    const guard: Interceptor = {
      name: 'guard',
      async read({ caller, server, uri, note }, next) {
        seen.push({ caller, server, uri });
        note('read by rule 7');
        return redact(await next());
      },
      async getPrompt({ caller, server, prompt, args }, next) {
        seen.push({ caller, server, prompt, args });
        if (args.topic === 'no') throw new RegistryError('refused', 'Prompts about this are off');
        return redact(await next());
      },
    };
    const { client, events } = await open([guard], kind);
    expect(await client.request('resources/read', { uri: 'mcp+old:ask:ask' })).toMatchObject({
      contents: [{ uri: 'mcp+old:ask:ask', text: 'a …' }],
    });
    const prompt = { name: 'mcp__old__ask', arguments: { topic: 'yes' } };
    expect(await client.request('prompts/get', prompt)).toMatchObject({ messages: [{ content: { text: 'a …' } }] });
    await expect(client.request('prompts/get', { ...prompt, arguments: { topic: 'no' } })).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining('Prompts about this are off'),
    });
    const caller = { principal: 'ada', role: 'guest' };
    expect(seen).toEqual([
      { caller, server: 'old', uri: 'ask:ask' },
      { caller, server: 'old', prompt: 'ask', args: { topic: 'yes' } },
      { caller, server: 'old', prompt: 'ask', args: { topic: 'no' } },
    ]);
    expect(events.flatMap((event) => ('interceptors' in event ? [[event.action, event.interceptors]] : []))).toEqual([
      [
        'read',
        [
          { interceptor: 'guard', decision: 'noted', note: 'read by rule 7' },
          { interceptor: 'guard', decision: 'changed' },
        ],
      ],
      ['get-prompt', [{ interceptor: 'guard', decision: 'changed' }]],
      ['get-prompt', [{ interceptor: 'guard', decision: 'refused' }]],
    ]);
  });
});

test('the result of a task passes like that of a call, and one that is none is refused', async () => {
  const seen: unknown[] = [];
  const redacting: Interceptor = {
    name: 'redact',
    result(result, { tool, caller }) {
      seen.push([tool.tool, caller]);
      return redact(result) as never;
    },
  };
  const registry = createRegistry({ interceptors: [redacting], roles: [{ role: 'working', allowedTools: ['left'] }] });
  const worker = createWorker('left');
  await registry.attach(worker.source).ready;
  const gateway = createGateway({ registry, upstreams: upstreamsOf(worker) as never, names: 'as-is' });
  const handler = gateway.handler({ verifyToken: (id) => ({ id }) }, ({ id }) => ({ role: 'working', principal: id }));
  opened.push(registry, gateway, handler);

  await post(handler, { method: 'tools/call', params: { name: 'work', arguments: {} }, token: 'alice' });
  const get = { method: 'tasks/get', params: { taskId: 'task-1' }, token: 'alice' };
  worker.answer = () => ({ resultType: 'complete', taskId: 'task-1', status: 'working' });
  expect((await post(handler, get)).result).toMatchObject({ status: 'working' });
  expect(seen).toEqual([]);
  worker.answer = () => ({
    resultType: 'complete',
    taskId: 'task-1',
    status: 'completed',
    result: textResult('a secret'),
  });
  expect((await post(handler, get)).result).toMatchObject({ result: textResult('a …') });
  expect(seen).toEqual([['work', { role: 'working', principal: 'alice' }]]);
  worker.answer = () => ({
    resultType: 'complete',
    taskId: 'task-1',
    status: 'completed',
    result: { content: 'a secret' },
  });
  const { error } = await post(handler, get);
  expect(error).toMatchObject({ message: 'The server failed: invalid-result' });
});

test.each([
  ['without interceptors of results', [], {}],
  [
    'with one',
    [{ name: 'redact', result: (result: object) => redact(result as RequestResult) as never }],
    { content: [] },
  ],
] as const)('structured content alone is the result of a task %s', async (_, interceptors, more) => {
  const registry = createRegistry({ interceptors });
  const worker = createWorker('left');
  await registry.attach(worker.source).ready;
  const gateway = createGateway({ registry, upstreams: upstreamsOf(worker) as never, names: 'as-is' });
  const handler = gateway.handler({ verifyToken: (id) => ({ id }) });
  opened.push(registry, gateway, handler);
  const token = 'alice';
  await post(handler, { method: 'tools/call', params: { name: 'work', arguments: {} }, token });
  const answer = { taskId: 'task-1', status: 'completed', result: { structuredContent: { at: 7 } } };
  worker.answer = () => ({ resultType: 'complete', ...answer });
  const { result } = await post(handler, { method: 'tasks/get', params: { taskId: 'task-1' }, token });
  expect(result.result).toEqual({ structuredContent: { at: 7 }, ...more });
});
