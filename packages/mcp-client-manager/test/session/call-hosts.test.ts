import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientManager } from '../../src/manager.js';
import { everything, hostOf } from '../helpers/call-host.js';
import { deferred } from '../helpers/deferred.js';
import { failureOf, fixtureSpec, managerWith, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const never = (): Promise<never> => new Promise(() => undefined);
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object' } } };
const roots = { method: 'roots/list' };
const refusedForSeveral = { error: { code: -32_094, message: expect.stringContaining('Several clients') } };
const refusedForNone = { error: { code: -32_094, message: expect.stringContaining('is over') } };

/** A server that asks in the middle of a call, built on the official SDK, and one that asks whenever it likes. */
const managerFor = (capabilities: object = everything): ClientManager =>
  managerWith({ capabilities: { ...capabilities } }, serverSpec('asks-host'), fixtureSpec('asks-late.mjs'));

const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

describe('before revision 2026-07-28, what a server asks during a call', () => {
  test('is answered by the host of the call, as it came', async () => {
    await using manager = managerFor();
    const answer = { action: 'accept', content: { name: 'Ada', 'x-extra': [{ deep: 1 }] }, 'x-extra': 1 };
    const host = hostOf('ada', () => answer);
    const args = { ...form, params: { ...form.params, 'x-extra': 1 } };
    expect(jsonOf(await manager.callTool('asks-host', 'ask', args, { host }))).toEqual({ result: answer });
    expect(host.asked).toMatchObject([{ ...args, server: 'asks-host' }]);
  });

  test('is as a function says when the connection is opened', async () => {
    const announced = [{}, { elicitation: { form: {} } }];
    const capabilities = () => announced.shift() ?? {};
    await using manager = managerWith({ capabilities }, serverSpec('asks-host'));
    const told = () => manager.callTool('asks-host', 'host_capabilities', {}).then(jsonOf);
    expect(await told()).toEqual({});
    await manager.server('asks-host').restart();
    expect(await told()).toMatchObject({ elicitation: { form: {} } });
    expect(announced).toEqual([]);
  });

  test('goes to nobody when several clients have calls under way, and the one that was asked before is not disturbed', async () => {
    await using manager = managerFor();
    const begun = deferred();
    const release = deferred<object>();
    const ada = hostOf('ada', () => {
      begun.resolve();
      return release.promise;
    });
    const bob = hostOf('bob');
    const first = manager.callTool('asks-host', 'ask', form, { host: ada });
    await begun.promise;
    expect(jsonOf(await manager.callTool('asks-host', 'ask', form, { host: bob }))).toMatchObject(refusedForSeveral);
    release.resolve({ action: 'decline' });
    expect(jsonOf(await first)).toEqual({ result: { action: 'decline' } });
    expect([ada.asked.length, bob.asked.length]).toEqual([1, 0]);
  });

  test('goes to no other client that had a call under way when its own was answered', async () => {
    await using manager = managerFor();
    const [ada, bob] = [hostOf('ada'), hostOf('bob')];
    const held = manager.callTool('fixture', 'hold', {}, { host: bob });
    await manager.callTool('fixture', 'ask-after', form, { host: ada });
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 1 }))).toMatchObject([refusedForSeveral]);
    await manager.callTool('fixture', 'release');
    await held;
    expect([ada.asked, bob.asked]).toEqual([[], []]);
  });

  test('goes to the client whose call came last, of clients that take turns', async () => {
    await using manager = managerFor();
    for (const host of [hostOf('ada'), hostOf('bob'), hostOf('ada')]) {
      const asked = await manager.callTool('fixture', 'ask', form, { host });
      expect(jsonOf(asked)).toEqual({ result: { by: host.client } });
    }
  });

  test('goes to nobody while a call of nobody in particular is under way, too', async () => {
    await using manager = managerFor();
    const ada = hostOf('ada');
    const held = manager.callTool('fixture', 'hold');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { host: ada }))).toMatchObject(refusedForSeveral);
    await manager.callTool('fixture', 'release');
    await held;
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { host: ada }))).toEqual({ result: { by: 'ada' } });
  });

  test('goes to the host of the call that became the task which it names, whoever else has a call under way', async () => {
    await using manager = managerFor();
    const [ada, bob] = [hostOf('ada'), hostOf('bob')];
    const about = (taskId: unknown): object => {
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId } };
      return { ...form, params: { ...form.params, _meta } };
    };
    const ask = async (taskId: unknown): Promise<unknown> =>
      jsonOf(await manager.callTool('fixture', 'ask', about(taskId) as Record<string, unknown>, { host: bob }));
    const makeTask = (taskId: string, host = ada) =>
      manager.callTool('fixture', 'as-task', { taskId }, { host, params: { task: {} } });
    for (const taskId of ['mine', 'twice', 'x'.repeat(4_097)]) await makeTask(taskId);
    await makeTask('twice', bob);
    expect(await ask('mine')).toEqual({ result: { by: 'ada' } });
    for (const other of ['unheard-of', 'x'.repeat(4_097)]) {
      expect(await ask(other)).toMatchObject({
        error: { code: -32_094, message: expect.stringContaining('The task') },
      });
    }
    expect(await ask('twice')).toMatchObject(refusedForSeveral);
    expect([ada.asked.length, bob.asked.length]).toEqual([1, 0]);
  });

  test('goes to the host of a subscription that is being taken', async () => {
    await using manager = managerFor();
    const ada = hostOf('ada');
    await manager.server('fixture').subscribeResource('x://a', { host: ada });
    expect(ada.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Really?' } }]);
  });

  test('is answered for a client with many calls, also when it is another one of its calls that is asked', async () => {
    await using manager = managerFor();
    const client = {};
    const call = (): Promise<unknown> =>
      manager.callTool('asks-host', 'ask', roots, { host: hostOf(client, () => ({ roots: [] })) }).then(jsonOf);
    expect(await Promise.all(Array.from({ length: 8 }, call))).toEqual(Array(8).fill({ result: { roots: [] } }));
  });

  test('is answered by the handlers when no call has a host, and never by those when one has', async () => {
    const handlers = { roots: () => ({ by: 'handlers' }) };
    await using manager = managerWith({ handlers }, serverSpec('asks-host'));
    expect(jsonOf(await manager.callTool('asks-host', 'ask', roots))).toEqual({ result: { by: 'handlers' } });
    const host = hostOf('ada', undefined, {});
    const asked = await manager.callTool('asks-host', 'ask', roots, { host });
    expect(jsonOf(asked)).toMatchObject({ error: { code: -32_601 } });
    expect(host.asked).toEqual([]);
  });

  test('is refused by the code of the protocol when the client of the call has not said that it can do that', async () => {
    await using manager = managerFor();
    const host = hostOf('ada', undefined, { elicitation: {}, sampling: {} });
    const ask = async (method: string, params: object): Promise<unknown> =>
      jsonOf(await manager.callTool('fixture', 'ask', { method, params }, { host }));
    expect(await ask('roots/list', {})).toMatchObject({ error: { code: -32_601 } });
    expect(await ask('elicitation/create', { mode: 'url' })).toMatchObject({ error: { code: -32_602 } });
    expect(await ask('sampling/createMessage', { tools: [] })).toMatchObject({ error: { code: -32_602 } });
    expect(await ask('vendor/unheard-of', {})).toMatchObject({ error: { code: -32_601 } });
    expect(host.asked).toEqual([]);
    expect(await ask('elicitation/create', {})).toEqual({ result: { by: 'ada' } }); // nothing in it means forms
  });

  test('is asked of another call of the client when the one that was asked is over', async () => {
    await using manager = managerFor();
    const begun = deferred();
    const aborted = deferred();
    const last = hostOf('ada', (_question, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      return never();
    });
    const first = hostOf('ada', () => ({ by: 'the first' }));
    const held = manager.callTool('fixture', 'hold', {}, { host: first });
    const second = manager.callTool('fixture', 'hold', form, { host: last });
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

  test('is refused when the call that it was about is over, and never asked of another client', async () => {
    await using manager = managerFor();
    const bob = hostOf('bob');
    const held = manager.callTool('fixture', 'hold', {}, { host: bob });
    await manager.callTool('fixture', 'said', {}); // the held one has been read
    const ada = hostOf('ada', never);
    await manager.callTool('fixture', 'leave-question', form, { host: ada });
    const answers = jsonOf(await manager.callTool('fixture', 'answers', { count: 1 }));
    expect(answers).toMatchObject([refusedForSeveral]);
    await manager.callTool('fixture', 'release');
    await held;
    await manager.callTool('fixture', 'leave-question', form);
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }))).toMatchObject([{}, refusedForNone]);
    expect([ada.asked.length, bob.asked.length]).toEqual([0, 0]);
  });

  test('goes to nobody else when its own call was given up a moment before', async () => {
    await using manager = managerFor();
    const end = new AbortController();
    const given = failureOf(manager.callTool('fixture', 'hold', {}, { host: hostOf('ada'), signal: end.signal }));
    await manager.callTool('fixture', 'said', {});
    end.abort();
    await given;
    const bob = hostOf('bob');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { host: bob }))).toMatchObject(refusedForSeveral);
    await manager.callTool('fixture', 'leave-question', form);
    expect(jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }))).toMatchObject([{}, refusedForNone]);
    expect(bob.asked).toEqual([]);
  });

  test('has its answer aborted when the call is cancelled, and when the server dies', async () => {
    await using manager = managerFor();
    const reasons: unknown[] = [];
    for (const ending of ['cancel', 'kill'] as const) {
      const begun = deferred();
      const aborted = deferred();
      const host = hostOf('ada', (_question, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        begun.resolve();
        return never();
      });
      const end = new AbortController();
      const call = failureOf(manager.callTool('fixture', 'ask', form, { host, signal: end.signal }));
      await begun.promise;
      if (ending === 'cancel') end.abort(new Error('enough'));
      else process.kill(manager.server('fixture').status.pid as number, 'SIGKILL');
      await aborted.promise;
      reasons.push(await call);
    }
    expect(reasons).toMatchObject([{ message: 'enough' }, { code: 'outcome-unknown' }]);
  });

  test('goes to the host of any other request than a call, too', async () => {
    await using manager = managerFor();
    const server = manager.server('fixture');
    const host = hostOf('ada');
    const asked = await server.request('tools/call', { name: 'ask', arguments: roots }, { host });
    expect(jsonOf(asked as Parameters<typeof jsonOf>[0])).toEqual({ result: { by: 'ada' } });
  });

  test('fails with the code and data of a host that refuses, and without secrets', async () => {
    const redact = (text: string): string => text.replaceAll('s3cret', '***');
    await using manager = managerWith({ capabilities: everything, redact }, fixtureSpec('asks-late.mjs'));
    const refusal = Object.assign(new Error('no s3cret for you'), { code: -1, data: { why: 's3cret' } });
    const host = hostOf('ada', () => Promise.reject(refusal));
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { host }))).toEqual({
      error: { code: -1, message: 'no *** for you', data: { why: '***' } },
    });
    const odd = hostOf('ada', () => 'no object');
    expect(jsonOf(await manager.callTool('fixture', 'ask', form, { host: odd }))).toMatchObject({
      error: { code: -32_603 },
    });
  });

  test('is announced by the manager, and refused when nobody answers', async () => {
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
])('a host that announced %j tells %i change of its roots', async (capabilities, changes) => {
  await using manager = managerFor(capabilities);
  const server = manager.server('asks-host');
  await server.start();
  await server.notifyRootsChanged();
  expect(jsonOf(await server.callTool('roots_changes'))).toBe(changes);
});

test('two questions of one id that come at once are asked of nobody', async () => {
  await using manager = managerFor();
  const host = hostOf('ada');
  const held = manager.callTool('fixture', 'hold', { ...form, id: 'same', times: 2 }, { host });
  const answers = jsonOf(await manager.callTool('fixture', 'answers', { count: 2 }));
  expect(answers).toMatchObject([{ error: { code: -32_094 } }, { error: { code: -32_094 } }]);
  await manager.callTool('fixture', 'release');
  await held;
  expect(host.asked).toEqual([]);
});

test('the end of an elicitation is an event', async () => {
  await using manager = managerFor();
  const told: unknown[] = [];
  manager.events.on('elicitation-completed', (event) => void told.push(event));
  await manager.callTool('fixture', 'complete', { elicitationIds: ['e1', 5, 'x'.repeat(2_000), null, 'e2'] });
  expect(told).toEqual([
    { server: 'fixture', elicitationId: 'e1' },
    { server: 'fixture', elicitationId: 'e2' },
  ]);
});

describe('a call that says more than its arguments', () => {
  test('says it beside them, and brings a task as it came', async () => {
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

  test('has what is final checked against its schema as any other', async () => {
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
    [{ host: {} }, 'host.answer must be a function'],
    [{ host: null }, 'host.answer must be a function'],
    [{ host: { answer: () => ({}) } }, 'host.capabilities must be an object'],
  ])('is refused when it could not be made: %j', async (options, message) => {
    await using manager = managerFor();
    expect(await failureOf(manager.callTool('fixture', 'said', {}, options))).toEqual(new TypeError(message));
  });

  test.each<[object, string]>([
    [{}, '"tools/call" needs the name of a tool in params.name'],
    [{ name: 'said', arguments: [] }, 'params.arguments of the call of "said" must be an object'],
    [{ name: 'said', _meta: 1 }, 'params._meta of the call of "said" must be an object'],
  ])('is refused when it is passed through and is no call: %j', async (params, message) => {
    await using manager = managerFor();
    const request = manager.server('fixture').request('tools/call', params as Record<string, unknown>);
    expect(await failureOf(request)).toEqual(new TypeError(message));
  });
});
