import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestOrigins } from '../../src/session/http-request-origins.js';
import { startAsksOverHttp } from '../helpers/asks-over-http.js';
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

const eventOf = (message: object): Buffer => Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

test('the origin of a request is known once, whatever else the streams carry', () => {
  const request = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), method: fc.constant('roots/list') });
  fc.assert(
    fc.property(
      fc.uniqueArray(request, { selector: ({ id }) => id, maxLength: 50 }),
      fc.array(fc.string()),
      (all, noise) => {
        const origins = new RequestOrigins();
        for (const text of noise) {
          origins.note(eventOf({ jsonrpc: '2.0', id: 1, result: { method: text } }), 7);
          origins.note(Buffer.from(text), 7);
          origins.note(Buffer.from(`data: {"method":${text}\n\n`), 7);
        }
        for (const [index, message] of all.entries()) origins.note(eventOf(message), index);
        expect(all.map(({ id }) => origins.take(id)?.id)).toEqual(all.map((_, index) => index));
        expect(all.map(({ id }) => origins.take(id))).toEqual(all.map(() => undefined));
      },
    ),
  );
});

test('of two requests of one id neither has an origin', () => {
  const origins = new RequestOrigins();
  for (const stream of [1, 2]) origins.note(eventOf({ jsonrpc: '2.0', id: 5, method: 'roots/list' }), stream);
  expect([origins.take(5), origins.take(5), origins.take(5)]).toEqual([
    { id: undefined, times: 2 },
    { id: undefined, times: 1 },
    undefined,
  ]);
});

test('what nobody ever asks for is not kept for ever', () => {
  const origins = new RequestOrigins();
  for (let id = 0; id < 5_000; id += 1) origins.note(eventOf({ jsonrpc: '2.0', id, method: 'roots/list' }), 1);
  expect(origins.take(0)).toBeUndefined();
  expect(origins.take(4_999)).toMatchObject({ id: 1 });
});
