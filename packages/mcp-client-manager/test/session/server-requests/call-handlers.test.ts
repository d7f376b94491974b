import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientManager } from '../../../src/manager.js';
import { everything, handlerOf } from '../../helpers/call-handler.js';
import { deferred } from '../../helpers/deferred.js';
import { failureOf, fixtureSpec, managerWith, serverSpec, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const never = (): Promise<never> => new Promise(() => undefined);
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object' } } };
const roots = { method: 'roots/list' };
const refusedForSeveral = { error: { code: -32_094, message: expect.stringContaining('several clients have calls') } };
const refusedForNone = {
  error: { code: -32_094, message: expect.stringContaining('has ended: there is no client to ask') },
};

/** A server that asks in the middle of a call, built on the official SDK, and one that asks whenever it likes. */
const managerFor = (capabilities: object = everything): ClientManager =>
  managerWith({ capabilities: { ...capabilities } }, serverSpec('asks-host'), fixtureSpec('asks-late.mjs'));

const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

describe('before revision 2026-07-28, a server request during a call', () => {
  test('reaches the handler of the call unchanged', async () => {
    await using manager = managerFor();
    const answer = { action: 'accept', content: { name: 'Ada', 'x-extra': [{ deep: 1 }] }, 'x-extra': 1 };
    const handler = handlerOf('ada', () => answer);
    const args = { ...form, params: { ...form.params, 'x-extra': 1 } };
    expect(jsonOf(await manager.callTool('asks-host', 'ask', args, { handler }))).toEqual({ result: answer });
    expect(handler.asked).toMatchObject([{ ...args, server: 'asks-host' }]);
  });

  test('follows the capabilities that a function returns for the connection', async () => {
    const announced = [{}, { elicitation: { form: {} } }];
    const capabilities = () => announced.shift() ?? {};
    await using manager = managerWith({ capabilities }, serverSpec('asks-host'));
    const told = () => manager.callTool('asks-host', 'host_capabilities', {}).then(jsonOf);
    expect(await told()).toEqual({});
    await manager.server('asks-host').restart();
    expect(await told()).toMatchObject({ elicitation: { form: {} } });
    expect(announced).toEqual([]);
  });

  test('is refused when several clients have calls in progress, and an earlier request is not affected', async () => {
    await using manager = managerFor();
    const begun = deferred();
    const release = deferred<object>();
    const ada = handlerOf('ada', () => {
      begun.resolve();
      return release.promise;
    });
    const bob = handlerOf('bob');
    const first = manager.callTool('asks-host', 'ask', form, { handler: ada });
    await begun.promise;
    expect(jsonOf(await manager.callTool('asks-host', 'ask', form, { handler: bob }))).toMatchObject(refusedForSeveral);
    release.resolve({ action: 'decline' });
    expect(jsonOf(await first)).toEqual({ result: { action: 'decline' } });
    expect([ada.asked.length, bob.asked.length]).toEqual([1, 0]);
  });

  test('does not reach another client after its own call was answered', async () => {
    await using manager = managerFor();
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const held = manager.callTool('fixture', 'hold', {}, { handler: bob });
    await manager.callTool('fixture', 'ask-after', form, { handler: ada });
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 1 }))).toMatchObject([refusedForSeveral]);
    await manager.callTool('fixture', 'release');
    await held;
    expect([ada.asked, bob.asked]).toEqual([[], []]);
  });

  test('reaches the client with the newest call when clients take turns', async () => {
    await using manager = managerFor();
    for (const handler of [handlerOf('ada'), handlerOf('bob'), handlerOf('ada')]) {
      const asked = await manager.callTool('fixture', 'ask', form, { handler });
      expect(jsonOf(asked)).toEqual({ result: { by: handler.client } });
    }
  });

  test('is refused while a call without a handler is in progress, too', async () => {
    await using manager = managerFor();
    const ada = handlerOf('ada');
    const held = manager.callTool('fixture', 'hold');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { handler: ada }))).toMatchObject(refusedForSeveral);
    await manager.callTool('fixture', 'release');
    await held;
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { handler: ada }))).toEqual({ result: { by: 'ada' } });
  });

  test('reaches the handler of the task that it names, also beside calls of other clients', async () => {
    await using manager = managerFor();
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const about = (taskId: unknown): object => {
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId } };
      return { ...form, params: { ...form.params, _meta } };
    };
    const ask = async (taskId: unknown): Promise<unknown> =>
      jsonOf(await manager.callTool('fixture', 'ask', about(taskId) as Record<string, unknown>, { handler: bob }));
    const makeTask = (taskId: string, handler = ada) =>
      manager.callTool('fixture', 'as-task', { taskId }, { handler, params: { task: {} } });
    for (const taskId of ['mine', 'twice', 'x'.repeat(4_097)]) await makeTask(taskId);
    await makeTask('twice', bob);
    expect(await ask('mine')).toEqual({ result: { by: 'ada' } });
    for (const other of ['unheard-of', 'x'.repeat(4_097)]) {
      expect(await ask(other)).toMatchObject({
        error: { code: -32_094, message: expect.stringContaining('Unknown or finished task') },
      });
    }
    expect(await ask('twice')).toMatchObject(refusedForSeveral);
    expect([ada.asked.length, bob.asked.length]).toEqual([1, 0]);
  });

  test('reaches the handler of a subscription in progress', async () => {
    await using manager = managerFor();
    const ada = handlerOf('ada');
    await manager.server('fixture').subscribeResource('x://a', { handler: ada });
    expect(ada.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Really?' } }]);
  });

  test('reaches a client with many calls, through any of them', async () => {
    await using manager = managerFor();
    const client = {};
    const call = (): Promise<unknown> =>
      manager.callTool('asks-host', 'ask', roots, { handler: handlerOf(client, () => ({ roots: [] })) }).then(jsonOf);
    expect(await Promise.all(Array.from({ length: 8 }, call))).toEqual(Array(8).fill({ result: { roots: [] } }));
  });

  test('reaches the client handlers only if no call has a handler', async () => {
    const handlers = { roots: () => ({ by: 'handlers' }) };
    await using manager = managerWith({ handlers }, serverSpec('asks-host'));
    expect(jsonOf(await manager.callTool('asks-host', 'ask', roots))).toEqual({ result: { by: 'handlers' } });
    const handler = handlerOf('ada', undefined, {});
    const asked = await manager.callTool('asks-host', 'ask', roots, { handler });
    expect(jsonOf(asked)).toMatchObject({ error: { code: -32_601 } });
    expect(handler.asked).toEqual([]);
  });

  test('is refused with the code of the protocol if the client lacks the capability', async () => {
    await using manager = managerFor();
    const handler = handlerOf('ada', undefined, { elicitation: {}, sampling: {} });
    const ask = async (method: string, params: object): Promise<unknown> =>
      jsonOf(await manager.callTool('fixture', 'ask', { method, params }, { handler }));
    expect(await ask('roots/list', {})).toMatchObject({ error: { code: -32_601 } });
    expect(await ask('elicitation/create', { mode: 'url' })).toMatchObject({ error: { code: -32_602 } });
    expect(await ask('sampling/createMessage', { tools: [] })).toMatchObject({ error: { code: -32_602 } });
    expect(await ask('vendor/unheard-of', {})).toMatchObject({ error: { code: -32_601 } });
    expect(handler.asked).toEqual([]);
    expect(await ask('elicitation/create', {})).toEqual({ result: { by: 'ada' } }); // nothing in it means forms
  });

  test('moves to another call of the client when the first one ends', async () => {
    await using manager = managerFor();
    const begun = deferred();
    const aborted = deferred();
    const last = handlerOf('ada', (_question, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      return never();
    });
    const first = handlerOf('ada', () => ({ by: 'the first' }));
    const held = manager.callTool('fixture', 'hold', {}, { handler: first });
    const second = manager.callTool('fixture', 'hold', form, { handler: last });
    await begun.promise;
    await manager.callTool('fixture', 'release', { last: true });
    await second;
    await aborted.promise;
    const [answer] = jsonOf(await manager.callTool('fixture', 'answers', { count: 1 })) as unknown[];
    expect(answer).toMatchObject({ result: { by: 'the first' } });
    await manager.callTool('fixture', 'release');
    await held;
    expect([first.asked.length, last.asked.length]).toEqual([1, 1]);
  });

  test('is refused when its call has ended, and never reaches another client', async () => {
    await using manager = managerFor();
    const bob = handlerOf('bob');
    const held = manager.callTool('fixture', 'hold', {}, { handler: bob });
    await manager.callTool('fixture', 'said', {}); // the held one has been read
    const ada = handlerOf('ada', never);
    await manager.callTool('fixture', 'leave-question', form, { handler: ada });
    const answers = jsonOf(await manager.callTool('fixture', 'answers', { count: 1 }));
    expect(answers).toMatchObject([refusedForSeveral]);
    await manager.callTool('fixture', 'release');
    await held;
    await manager.callTool('fixture', 'leave-question', form);
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }))).toMatchObject([{}, refusedForNone]);
    expect([ada.asked.length, bob.asked.length]).toEqual([0, 0]);
  });

  test('does not reach another client just after its own call was abandoned', async () => {
    await using manager = managerFor();
    const end = new AbortController();
    const given = failureOf(manager.callTool('fixture', 'hold', {}, { handler: handlerOf('ada'), signal: end.signal }));
    await manager.callTool('fixture', 'said', {});
    end.abort();
    await given;
    const bob = handlerOf('bob');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { handler: bob }))).toMatchObject(refusedForSeveral);
    await manager.callTool('fixture', 'leave-question', form);
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }))).toMatchObject([{}, refusedForNone]);
    expect(bob.asked).toEqual([]);
  });

  test('has its handler aborted when the call is cancelled, and when the server dies', async () => {
    await using manager = managerFor();
    const reasons: unknown[] = [];
    for (const ending of ['cancel', 'kill'] as const) {
      const begun = deferred();
      const aborted = deferred();
      const handler = handlerOf('ada', (_question, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        begun.resolve();
        return never();
      });
      const end = new AbortController();
      const call = failureOf(manager.callTool('fixture', 'ask', form, { handler, signal: end.signal }));
      await begun.promise;
      if (ending === 'cancel') end.abort(new Error('enough'));
      else process.kill(manager.server('fixture').status.pid as number, 'SIGKILL');
      await aborted.promise;
      reasons.push(await call);
    }
    expect(reasons).toMatchObject([{ message: 'enough' }, { code: 'outcome-unknown' }]);
  });

  test('reaches the handler of requests other than calls', async () => {
    await using manager = managerFor();
    const server = manager.server('fixture');
    const handler = handlerOf('ada');
    const asked = await server.request('tools/call', { name: 'ask', arguments: roots }, { handler });
    expect(jsonOf(asked as Parameters<typeof jsonOf>[0])).toEqual({ result: { by: 'ada' } });
  });

  test('fails with the code and data of a handler that refuses, without secrets', async () => {
    const redact = (text: string): string => text.replaceAll('s3cret', '***');
    await using manager = managerWith({ capabilities: everything, redact }, fixtureSpec('asks-late.mjs'));
    const refusal = Object.assign(new Error('no s3cret for you'), { code: -1, data: { why: 's3cret' } });
    const handler = handlerOf('ada', () => Promise.reject(refusal));
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { handler }))).toEqual({
      error: { code: -1, message: 'no *** for you', data: { why: '***' } },
    });
    const odd = handlerOf('ada', () => 'no object');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { handler: odd }))).toMatchObject({
      error: { code: -32_603 },
    });
  });

  test('is refused if the manager announced it and no handler exists', async () => {
    const capabilities = { roots: {}, sampling: { context: {} }, extensions: { 'x/y': { a: 1 } } };
    const handlers = { samplingWithTools: () => ({}), elicitation: () => ({}) };
    await using manager = managerWith({ capabilities, handlers }, fixtureSpec('asks-late.mjs'));
    expect(jsonOf(await manager.callTool('fixture', 'announce'))).toEqual({
      ...capabilities,
      sampling: { context: {}, tools: {} },
      elicitation: { form: {} },
    });
    expect(jsonOf(await manager.callTool('fixture', 'ask', roots))).toMatchObject({
      error: { code: -32_601, message: expect.stringContaining('roots/list') },
    });
  });
});

test.each([
  [{ roots: { listChanged: true } }, 1],
  [{ roots: {} }, 0],
  [{}, 0],
])('announcing %j sends %i change of the roots', async (capabilities, changes) => {
  await using manager = managerFor(capabilities);
  const server = manager.server('asks-host');
  await server.start();
  await server.notifyRootsChanged();
  expect(jsonOf(await server.callTool('roots_changes'))).toBe(changes);
});

test('refuses two concurrent server requests with one id', async () => {
  await using manager = managerFor();
  const handler = handlerOf('ada');
  const held = manager.callTool('fixture', 'hold', { ...form, id: 'same', times: 2 }, { handler });
  const answers = jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }));
  expect(answers).toMatchObject([{ error: { code: -32_094 } }, { error: { code: -32_094 } }]);
  await manager.callTool('fixture', 'release');
  await held;
  expect(handler.asked).toEqual([]);
});

test('emits an event when an elicitation completes', async () => {
  await using manager = managerFor();
  const told: unknown[] = [];
  manager.events.on('elicitation-completed', (event) => void told.push(event));
  await manager.callTool('fixture', 'complete', { elicitationIds: ['e1', 5, 'x'.repeat(2_000), null, 'e2'] });
  expect(told).toEqual([
    { server: 'fixture', elicitationId: 'e1' },
    { server: 'fixture', elicitationId: 'e2' },
  ]);
});

describe('a call with further params', () => {
  test('sends them, and returns a task unchanged', async () => {
    await using manager = managerFor();
    const params = { task: { ttl: 1_000 }, 'x-extra': 1 };
    const said = jsonOf(await manager.callTool('fixture', 'said', { a: 1 }, { params, meta: { traceparent: 't' } }));
    expect(said).toEqual({ ...params, name: 'said', arguments: { a: 1 }, _meta: { traceparent: 't' } });
    const result = await manager.callTool('fixture', 'as-task', { pollInterval: 5 }, { params });
    expect(result).toEqual({ task: { taskId: 't', status: 'working', pollInterval: 5 } });
    const passed = await manager
      .server('fixture')
      .request('tools/call', { name: 'as-task', arguments: {}, task: { ttl: 1 } });
    expect(passed).toEqual({ task: { taskId: 't', status: 'working' } });
  });

  test('has its final result checked against the schema', async () => {
    await using manager = managerFor();
    await manager.server('fixture').discoverTools();
    const call = manager.callTool('fixture', 'as-task', {}, { params: { 'x-extra': 1 } });
    expect(await failureOf(call)).toMatchObject({ code: 'invalid-result' });
  });

  test.each<[object, string]>([
    [{ params: 5 }, 'params must be an object'],
    [{ params: { name: 'x' } }, 'params.name is set by the call itself and must not be in its params'],
    [{ params: { _meta: {} } }, 'params._meta is set by the call itself and must not be in its params'],
    [{ inputRequired: 'later' }, 'inputRequired must be one of "answer", "return", got later'],
    [{ handler: {} }, 'handler.answer must be a function'],
    [{ handler: null }, 'handler.answer must be a function'],
    [{ handler: { answer: () => ({}) } }, 'handler.capabilities must be an object'],
  ])('is refused if its options are invalid: %j', async (options, message) => {
    await using manager = managerFor();
    expect(await failureOf(manager.callTool('fixture', 'said', {}, options))).toEqual(new TypeError(message));
  });

  test.each<[object, string]>([
    [{}, 'params.name of "tools/call" must be the name of a tool'],
    [{ name: 'said', arguments: [] }, 'params.arguments of the call of "said" must be an object'],
    [{ name: 'said', _meta: 1 }, 'params._meta of the call of "said" must be an object'],
  ])('is refused if the params of a forwarded call are invalid: %j', async (params, message) => {
    await using manager = managerFor();
    const request = manager.server('fixture').request('tools/call', params as Record<string, unknown>);
    expect(await failureOf(request)).toEqual(new TypeError(message));
  });
});
