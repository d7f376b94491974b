import { once } from 'node:events';
import { startAsksOverHttp } from '@x/test-servers';
import { expect, test } from 'vitest';

import { everything, hostOf } from '../helpers/call-host.js';
import { deferred } from '../helpers/deferred.js';
import { failureOf, managerWith, textOf } from '../helpers/servers.js';

const roots = { method: 'roots/list' };
const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

test('over HTTP many clients are asked at once, each for its own call', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const release = deferred();
  let asked = 0;
  const clients = Array.from({ length: 6 }, (_, index) => `client ${index}`);
  const calls = clients.map(async (client) => {
    const host = hostOf(client, async () => {
      asked += 1;
      if (asked === clients.length) release.resolve();
      await release.promise; // so that all of them are under way together
      return { by: client };
    });
    return jsonOf(await manager.callTool('web', 'ask', roots, { host }));
  });
  expect(await Promise.all(calls)).toEqual(clients.map((client) => ({ result: { by: client } })));
});

test('over HTTP a question of a call without a host is the handlers’, whoever else has calls', async () => {
  await using server = await startAsksOverHttp();
  const handlers = { roots: () => ({ by: 'handlers' }) };
  await using manager = managerWith({ handlers }, { name: 'web', url: server.url });
  const begun = deferred();
  const release = deferred<object>();
  const host = hostOf('ada', () => {
    begun.resolve();
    return release.promise;
  });
  const held = manager.callTool('web', 'ask', roots, { host });
  await begun.promise;
  expect(jsonOf(await manager.callTool('web', 'ask', roots))).toEqual({ result: { by: 'handlers' } });
  release.resolve({ by: 'ada' });
  expect(jsonOf(await held)).toEqual({ result: { by: 'ada' } });
});

test('over HTTP a question that does not say what it is about is nobody’s when there are several clients', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const begun = deferred();
  const release = deferred<object>();
  const ada = hostOf('ada', () => {
    begun.resolve();
    return release.promise;
  });
  const held = manager.callTool('web', 'ask', { ...roots, apart: true }, { host: ada });
  await begun.promise;
  const bob = hostOf('bob');
  const apart = await manager.callTool('web', 'ask', { ...roots, apart: true }, { host: bob });
  expect(jsonOf(apart)).toEqual({ error: { code: -32_094 } });
  expect(jsonOf(await manager.callTool('web', 'ask', roots, { host: bob }))).toEqual({ result: { by: 'bob' } });
  release.resolve({ by: 'ada' });
  expect(jsonOf(await held)).toEqual({ result: { by: 'ada' } });
  expect([ada.asked.length, bob.asked.length]).toEqual([1, 1]);
});

test('over HTTP the end of a call aborts the answer to its question, and of no other', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const begun = [deferred<AbortSignal>(), deferred<AbortSignal>()] as const;
  const release = deferred<object>();
  const end = new AbortController();
  const given = failureOf(
    manager.callTool('web', 'ask', roots, {
      signal: end.signal,
      host: hostOf('ada', (_question, { signal }) => {
        begun[0].resolve(signal);
        return new Promise(() => undefined);
      }),
    }),
  );
  const kept = manager.callTool('web', 'ask', roots, {
    host: hostOf('ada', (_question, { signal }) => {
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
])('log entries %s are about their callers, or about several', async (_, where, expected) => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const told: Record<string, unknown> = {};
  manager.events.on('server-log', ({ data, about }) => {
    told[String(data)] = about;
  });
  const log = (client: string) => manager.callTool('web', 'log', { ...where, data: client }, { host: hostOf(client) });
  await Promise.all([log('ada'), log('bob')]);
  await expect.poll(() => told).toEqual(expected);
});

test('a log entry on the stream of a call without a host is about several, whoever else has calls', async () => {
  await using server = await startAsksOverHttp();
  await using manager = managerWith({ capabilities: everything }, { name: 'web', url: server.url });
  const told: Record<string, unknown> = {};
  manager.events.on('server-log', ({ data, about }) => {
    told[String(data)] = about;
  });
  await Promise.all([
    manager.callTool('web', 'log', { data: 'ada' }, { host: hostOf('ada') }),
    manager.callTool('web', 'log', { data: 'app' }),
  ]);
  expect(told).toEqual({ ada: { owner: 'ada' }, app: 'several' });
});
