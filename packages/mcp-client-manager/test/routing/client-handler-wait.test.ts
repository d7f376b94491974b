import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ClientManager } from '../../src/manager.js';
import { everything, handlerOf } from '../helpers/call-handler.js';
import { deferred } from '../helpers/deferred.js';
import { failureOf, fixtureSpec, managerWith, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object' } } };

const managerFor = (maxConcurrentCalls: number): ClientManager =>
  managerWith(
    { capabilities: everything },
    fixtureSpec('asks-late.mjs', [], { limits: { maxConcurrentCalls, maxQueuedCalls: 64 } }),
  );

test('calls that wait for their client’s answers hold no turns, and none up that others make', async () => {
  await using manager = managerFor(1);
  const answers = deferred<object>();
  const all = deferred();
  let asked = 0;
  const ada = () =>
    handlerOf('ada', () => {
      asked += 1;
      if (asked === 16) all.resolve();
      return answers.promise;
    });
  const calls = Array.from({ length: 20 }, () => manager.callTool('fixture', 'ask', form, { handler: ada() }));
  await all.promise;
  expect(textOf(await manager.callTool('fixture', 'said', { a: 1 }, { handler: handlerOf('bob') }))).toContain('"a":1');
  answers.resolve({ action: 'decline' });
  const said = { result: { action: 'decline' } };
  // The last four came after the other client had begun, and could not be attributed for a while.
  const results = (await Promise.all(calls)).map((result) => JSON.parse(textOf(result)));
  expect(results.slice(0, 16)).toEqual(Array(16).fill(said));
});

test('the deadline of a call pauses while its client responds', async () => {
  await using manager = managerFor(4);
  const server = manager.server('fixture');
  await server.start();
  const slow = handlerOf('ada', async () => {
    // Longer than the call itself has.
    expect(await failureOf(server.callTool('hold', {}, { timeoutMs: 700 }))).toMatchObject({ code: 'timed-out' });
    return { action: 'decline' };
  });
  const answered = await server.callTool('ask', form, { handler: slow, timeoutMs: 600, idleTimeoutMs: 500 });
  expect(JSON.parse(textOf(answered))).toEqual({ result: { action: 'decline' } });
  const passed = await server.request('resources/subscribe', { uri: 'x://a' }, { handler: slow, timeoutMs: 600 });
  expect(passed).toEqual({});
  const held = failureOf(server.callTool('hold', form, { handler: handlerOf('ada'), timeoutMs: 200 }));
  expect(await held).toMatchObject({ code: 'timed-out' });
});

test('a caller ends a call that waits for its client', async () => {
  await using manager = managerFor(1);
  const end = new AbortController();
  const handler = handlerOf('ada', () => {
    end.abort(new Error('enough'));
    return new Promise(() => undefined);
  });
  const call = failureOf(manager.callTool('fixture', 'ask', form, { handler, signal: end.signal }));
  expect(await call).toMatchObject({ message: 'enough' });
  expect(textOf(await manager.callTool('fixture', 'said'))).toContain('said');
});
