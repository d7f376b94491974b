import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { everything, handlerOf } from '../../helpers/call-handler.js';
import { deferred } from '../../helpers/deferred.js';
import { temporaryDirectory } from '../../helpers/processes.js';
import { failureOf, fixtureSpec, managerWith, serverSpec, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const name = 'modern-input-required';
const accepted = { action: 'accept', content: { name: 'Ada' } };
const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

test('each request carries the capabilities of its own client', async () => {
  const capabilities = { roots: {}, 'x-extra': {} };
  await using manager = managerWith({ capabilities }, fixtureSpec('tells-envelope.mjs'));
  const told = async (options: object): Promise<unknown> =>
    jsonOf(await manager.callTool('fixture', 'envelope', {}, options));
  const ada = handlerOf('ada', undefined, { elicitation: { form: {} }, extensions: { 'a/b': { c: [1] } } });
  const bob = handlerOf('bob', undefined, {});
  const both = await Promise.all([told({ handler: ada }), told({ handler: bob }), told({})]);
  expect(both).toEqual([ada.capabilities, {}, capabilities]);
  // Members that its caller sends cannot replace that.
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };
  expect(await told({ handler: bob, meta })).toEqual({});
  const read = await manager.server('fixture').readResource('told:envelope', { handler: ada });
  expect(JSON.parse(String(read.contents[0]?.text))).toEqual(ada.capabilities);
});

test('the handler of each call responds, with many clients at once', async () => {
  await using manager = managerWith({}, serverSpec(name));
  const clients = Array.from({ length: 8 }, (_, index) => `client ${index}`);
  const calls = clients.map(async (client) => {
    const handler = handlerOf(client, () => ({ action: 'accept', content: { name: client } }));
    return [jsonOf(await manager.callTool(name, 'greet', {}, { handler })), handler.asked] as const;
  });
  for (const [index, [result, asked]] of (await Promise.all(calls)).entries()) {
    expect(result).toMatchObject({ who: { action: 'accept', content: { name: clients[index] } } });
    expect(asked).toMatchObject([{ method: 'elicitation/create', server: name }]);
  }
});

test('a handler that refuses, or lacks the capability, fails the call without secrets', async () => {
  const redact = (text: string): string => text.replaceAll('s3cret', '***');
  await using manager = managerWith({ redact, capabilities: everything }, serverSpec(name));
  const refuses = handlerOf('ada', () => Promise.reject(new Error('no s3cret')));
  const failure = await failureOf(manager.callTool(name, 'greet', {}, { handler: refuses }));
  expect(failure).toMatchObject({ code: 'input-refused', message: expect.stringContaining('no ***') });
  const unable = handlerOf('bob', undefined, { roots: {} });
  expect(await failureOf(manager.callTool(name, 'greet', {}, { handler: unable }))).toMatchObject({
    code: 'server-error',
  });
  expect(unable.asked).toEqual([]);
  // Announced by the manager, without a handler.
  expect(await failureOf(manager.callTool(name, 'greet'))).toMatchObject({
    code: 'input-refused',
    cause: { code: -32_601 },
  });
});

test('the end of a call aborts its handler', async () => {
  await using manager = managerWith({}, serverSpec(name));
  const begun = deferred<AbortSignal>();
  const handler = handlerOf('ada', (_question, context) => {
    begun.resolve(context.signal);
    return new Promise(() => undefined);
  });
  const end = new AbortController();
  const call = failureOf(manager.callTool(name, 'greet', {}, { handler, signal: end.signal }));
  const signal = await begun.promise;
  end.abort(new Error('enough'));
  expect(await call).toMatchObject({ message: 'enough' });
  expect(signal.aborted).toBe(true);
});

test.each(['a call', 'a request that is passed through'])(
  '%s can be led through its rounds by its caller',
  async (way) => {
    await using manager = managerWith({}, serverSpec(name));
    const server = manager.server(name);
    const handler = handlerOf('ada');
    const options = { handler, inputRequired: 'return' } as const;
    const send = async (params?: Record<string, unknown>): Promise<Record<string, unknown>> =>
      way === 'a call'
        ? server.callTool('greet', {}, { ...options, ...(params && { params }) })
        : server.request('tools/call', { name: 'greet', ...params }, options);
    const first = await send();
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create' } },
    });
    expect(first).not.toHaveProperty('content');
    const { requestState } = first;
    const second = await send({ inputResponses: { who: accepted }, requestState });
    expect(JSON.parse(String((second.content as { text: string }[])[0]?.text))).toEqual({
      who: accepted,
      state: requestState,
    });
    expect(handler.asked).toEqual([]);
  },
);

test('never repeats a round of input whose server dies', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'calls');
  const spec = fixtureSpec('dies-halfway.mjs', ['wants-input-once', file], { trusted: true });
  await using manager = managerWith({}, spec);
  await manager.server('fixture').discoverTools();
  const handler = handlerOf('ada', () => new Promise(() => undefined));
  const repeat = 'if-safe';
  const first = await manager.callTool('fixture', 'pay', {}, { handler, repeat, inputRequired: 'return' });
  expect(first).toMatchObject({ resultType: 'input_required' });
  const params = { inputResponses: { roots: { roots: [] } } };
  const second = manager.callTool('fixture', 'pay', {}, { handler, repeat, params, timeoutMs: 20_000 });
  expect(await failureOf(second)).toMatchObject({ code: 'outcome-unknown' });
  expect(await readFile(file, 'utf8')).toBe('paid\npaid\n');
});
