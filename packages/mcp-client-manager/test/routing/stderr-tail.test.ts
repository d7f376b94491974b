import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { failureOf, fixtureSpec, managerOf, managerWith } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const tail = { stderrTail: ['last words'] };

test('every failure of a call or a request brings the last lines of the stderr of its server', async () => {
  const spec = fixtureSpec('odd-server.mjs', ['plain']);
  await using manager = managerWith({ maxMessageBytes: 100_000 }, spec);
  const server = manager.server('fixture');
  await server.start();
  await server.callTool('act');
  const failures = {
    'timed-out': failureOf(server.callTool('hang', {}, { timeoutMs: 50 })),
    'server-error': failureOf(server.callTool('fail')),
    'invalid-result': failureOf(server.callTool('wrong')),
    'result-too-large': failureOf(server.callTool('act', { huge: true })),
  };
  for (const [code, failure] of Object.entries(failures)) expect(await failure).toMatchObject({ code, ...tail });
  const silent = failureOf(server.callTool('hang', {}, { idleTimeoutMs: 50 }));
  expect(await silent).toMatchObject({ code: 'timed-out', ...tail });
  const unread = failureOf(server.readResource('odd:held', { timeoutMs: 50 }));
  expect(await unread).toMatchObject({ code: 'timed-out', ...tail });
  expect(await failureOf(server.readResource('odd:huge'))).toMatchObject({ code: 'result-too-large', ...tail });
});

test.each([
  ['refuses', 'auto', 'handshake-refused'],
  ['plain', '2026-07-28', 'unsupported-protocol'],
] as const)('so does a handshake that fails (%s)', async (habit, protocol, code) => {
  await using manager = managerOf(fixtureSpec('odd-server.mjs', [habit], { protocol, restart: { onFailure: false } }));
  expect(await failureOf(manager.server('fixture').start())).toMatchObject({ cause: { code, ...tail } });
});

test('the reason of a signal is unchanged', async () => {
  await using manager = managerOf(fixtureSpec('odd-server.mjs', ['plain']));
  const server = manager.server('fixture');
  const own = await failureOf(server.callTool('fail'));
  const end = new AbortController();
  const calls = [
    server.callTool('hang', {}, { signal: end.signal }),
    server.readResource('odd:held', { signal: end.signal }),
  ].map(failureOf);
  end.abort(own);
  for (const reason of await Promise.all(calls)) expect(reason).toBe(own);
});
