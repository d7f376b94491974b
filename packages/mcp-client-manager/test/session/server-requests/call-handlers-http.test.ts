import { once } from 'node:events';
import { startAsksOverHttp } from '@x/test-servers';
import { expect, test } from 'vitest';

import { everything, handlerOf } from '../../helpers/call-handler.js';
import { deferred } from '../../helpers/deferred.js';
import { failureOf, managerWith, textOf } from '../../helpers/servers.js';

const roots = { method: 'roots/list' };
const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

test('over HTTP each client receives the server requests of its own call', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const release = deferred();
  let asked = 0;
  const clients = Array.from({ length: 6 }, (_, index) => `client ${index}`);
  const calls = clients.map(async (client) => {
    const handler = handlerOf(client, async () => {
      asked += 1;
      if (asked === clients.length) release.resolve();
      await release.promise; // so that all of them are under way together
      return { by: client };
    });
    return jsonOf(await manager.callTool('web', 'ask', roots, { handler }));
  });
  expect(await Promise.all(calls)).toEqual(clients.map((client) => ({ result: { by: client } })));
});

test('over HTTP the client handlers respond for a call without a handler, also beside other calls', async () => {
  await using server = await startAsksOverHttp();
  const handlers = { roots: () => ({ by: 'handlers' }) };
  await using manager = managerWith({ handlers }, { name: 'web', url: server.url });
  const begun = deferred();
  const release = deferred<object>();
  const handler = handlerOf('ada', () => {
    begun.resolve();
    return release.promise;
  });
  const held = manager.callTool('web', 'ask', roots, { handler });
  await begun.promise;
  expect(jsonOf(await manager.callTool('web', 'ask', roots))).toEqual({ result: { by: 'handlers' } });
  release.resolve({ by: 'ada' });
  expect(jsonOf(await held)).toEqual({ result: { by: 'ada' } });
});

test('over HTTP refuses a server request without a call when several clients have calls', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const begun = deferred();
  const release = deferred<object>();
  const ada = handlerOf('ada', () => {
    begun.resolve();
    return release.promise;
  });
  const held = manager.callTool('web', 'ask', { ...roots, apart: true }, { handler: ada });
  await begun.promise;
  const bob = handlerOf('bob');
  const apart = await manager.callTool('web', 'ask', { ...roots, apart: true }, { handler: bob });
  expect(jsonOf(apart)).toEqual({ error: { code: -32_094 } });
  expect(jsonOf(await manager.callTool('web', 'ask', roots, { handler: bob }))).toEqual({ result: { by: 'bob' } });
  release.resolve({ by: 'ada' });
  expect(jsonOf(await held)).toEqual({ result: { by: 'ada' } });
  expect([ada.asked.length, bob.asked.length]).toEqual([1, 1]);
});

test('over HTTP the end of a call aborts only its own handler', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const begun = [deferred<AbortSignal>(), deferred<AbortSignal>()] as const;
  const release = deferred<object>();
  const end = new AbortController();
  const given = failureOf(
    manager.callTool('web', 'ask', roots, {
      signal: end.signal,
      handler: handlerOf('ada', (_question, { signal }) => {
        begun[0].resolve(signal);
        return new Promise(() => undefined);
      }),
    }),
  );
  const kept = manager.callTool('web', 'ask', roots, {
    handler: handlerOf('ada', (_question, { signal }) => {
      begun[1].resolve(signal);
      return release.promise;
    }),
  });
  const [signal, other] = [await begun[0].promise, await begun[1].promise];
  const aborted = once(signal, 'abort');
  end.abort(new Error('enough'));
  expect(await given).toMatchObject({ message: 'enough' });
  await aborted;
  expect(other.aborted).toBe(false);
  release.resolve({ roots: [] });
  expect(jsonOf(await kept)).toEqual({ result: { roots: [] } });
});

test.each([
  ['on the streams of two calls', {}, { ada: { owner: 'ada' }, bob: { owner: 'bob' } }],
  ['on the stream that is for nothing in particular', { apart: true }, { ada: 'several', bob: 'several' }],
])('log entries %s belong to their callers, or to several', async (_, where, expected) => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const told: Record<string, unknown> = {};
  manager.events.on('server-log', ({ data, about }) => {
    told[String(data)] = about;
  });
  const log = (client: string) =>
    manager.callTool('web', 'log', { ...where, data: client }, { handler: handlerOf(client) });
  await Promise.all([log('ada'), log('bob')]);
  await expect.poll(() => told).toEqual(expected);
});

test('a log entry on the stream of a call without a handler belongs to several owners', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const told: Record<string, unknown> = {};
  manager.events.on('server-log', ({ data, about }) => {
    told[String(data)] = about;
  });
  await Promise.all([
    manager.callTool('web', 'log', { data: 'ada' }, { handler: handlerOf('ada') }),
    manager.callTool('web', 'log', { data: 'app' }),
  ]);
  expect(told).toEqual({ ada: { owner: 'ada' }, app: 'several' });
});
