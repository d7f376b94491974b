import { once } from 'node:events';
import type { SourceCallOptions, ToolCallResult, ToolProgress, ToolSource } from '@x/internal/contracts';
import { type InterceptedMessage, type Interceptor, passingOn } from '@x/internal/views';
import { textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { redactResults } from '../../src/interceptors/redact-results.js';
import { createRegistry } from '../../src/registry.js';

const secret = 'hunter2-correct-horse';
const signal = new AbortController().signal;

async function open(interceptors: readonly Interceptor[], answer: (options: SourceCallOptions) => unknown) {
  const source: ToolSource = {
    name: 'vault',
    listTools: () => [tool('get')],
    callTool: async (_tool, _args, options) => (await answer(options)) as ToolCallResult,
  };
  const registry = createRegistry({ interceptors });
  await registry.attach(source).ready;
  return registry;
}

describe('messages of a server during a call', () => {
  test('pass in reverse: its progress and its questions', async () => {
    const seen: Omit<InterceptedMessage, 'body'>[] = [];
    const mark = (name: string): Interceptor => ({
      name,
      message({ body, ...origin }) {
        seen.push(origin);
        return { ...body, message: `${body.message} ${name}` };
      },
    });
    const registry = await open([mark('first'), mark('second')], async ({ handler, onProgress }) => {
      onProgress?.({ progress: 1, message: 'half' });
      const question = { method: 'elicitation/create', params: { message: 'Well?' } };
      return textResult(JSON.stringify(await handler?.answer(question, { server: 'vault', signal })));
    });
    const told: unknown[] = [];
    const handler = {
      client: 'a',
      capabilities: { elicitation: {} },
      answer: async ({ params }: { readonly params: Readonly<Record<string, unknown>> }) => {
        told.push(params);
        return { action: 'accept' };
      },
    };
    const onProgress = (progress: ToolProgress) => void told.push(progress);
    const result = await registry.call('mcp__vault__get', {}, { handler, onProgress });
    expect(result).toEqual(textResult('{"action":"accept"}'));
    expect(told).toEqual([{ progress: 1, message: 'half second first' }, { message: 'Well? second first' }]);
    const caller = {};
    expect(seen).toEqual([
      { kind: 'notification', method: 'notifications/progress', server: 'vault', caller },
      { kind: 'notification', method: 'notifications/progress', server: 'vault', caller },
      { kind: 'request', method: 'elicitation/create', server: 'vault', caller },
      { kind: 'request', method: 'elicitation/create', server: 'vault', caller },
    ]);
  });

  test.each([
    {
      resultType: 'input_required',
      requestState: 'state',
      inputRequests: { q: { method: 'elicitation/create', params: { message: secret } } },
    },
    { resultType: 'task', taskId: 'task-1', status: 'working', statusMessage: secret },
  ])('show no secret in a result that is not final: $resultType', async (result) => {
    const registry = await open([redactResults({ redact: [secret] })], () => result);
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const handler = { client: 'a', capabilities, answer: () => Promise.reject(new Error('asked')) };
    const options = passingOn({ inputRequired: 'return', handler });
    expect(await registry.call('mcp__vault__get', {}, options)).toEqual(
      JSON.parse(JSON.stringify(result).replace(secret, '***')),
    );
  });

  test('are dropped or refused if an interceptor fails, without the secret', async () => {
    const broken: Interceptor = {
      name: 'broken',
      message: () => {
        throw new Error(secret);
      },
    };
    const told: unknown[] = [];
    const registry = await open([broken], async ({ handler, onProgress }) => {
      onProgress?.({ progress: 1, message: secret });
      const question = { method: 'sampling/createMessage', params: {} };
      const refused = await handler?.answer(question, { server: 'vault', signal }).catch((error) => error);
      return textResult(String(refused));
    });
    const answer = async (question: unknown) => {
      told.push(question);
      return {};
    };
    const warned = once(process, 'warning');
    const result = await registry.call(
      'mcp__vault__get',
      {},
      { handler: { client: 'a', capabilities: {}, answer }, onProgress: (progress) => void told.push(progress) },
    );
    expect(told).toEqual([]);
    expect(result).toEqual(textResult('Error: The interceptor "broken" failed for a message of the server'));
    expect(String(await warned)).not.toContain(secret);

    const task = await open([broken], () => ({ resultType: 'input_required', inputRequests: {} }));
    const refusal = await task.call('mcp__vault__get', {}, passingOn({ inputRequired: 'return' })).catch((e) => e);
    expect(refusal).toMatchObject({ code: 'refused', message: expect.stringContaining('it may have had its effect') });
  });
});

test.each([
  ['no object', () => 'text'],
  ['a promise', async () => ({})],
])('a hook that returns %s drops the message', async (_, message) => {
  const hook = { name: 'odd', message: message as never };
  const told: unknown[] = [];
  const registry = await open([hook], ({ onProgress }) => {
    onProgress?.({ progress: 1 });
    return textResult('ok');
  });
  const warned = once(process, 'warning');
  expect(await registry.call('mcp__vault__get', {}, { onProgress: (each) => void told.push(each) })).toEqual(
    textResult('ok'),
  );
  await warned;
  expect(told).toEqual([]);
});
