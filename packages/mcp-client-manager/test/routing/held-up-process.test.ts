import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { failureOf, managerOf, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

/** Holds this process up as a host is that sleeps: nothing is read and no timer fires. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('accepts a response that arrived while the process was blocked, even past the deadline', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const called = new Promise<Promise<unknown>>((resolve) => {
    const call = server.callTool(
      'wait',
      { ms: 300, steps: 3 },
      { timeoutMs: 1_000, onProgress: () => resolve(call.then(textOf)) },
    );
    call.catch(() => undefined);
  });
  const answer = await called;
  holdUp(2_500);
  expect(await answer).toContain('300');
});

test('any other request has the same right', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const server = manager.server('echo');
  await server.start();
  const answer = server.request('ping', {}, { timeoutMs: 500 });
  await new Promise((resolve) => setImmediate(resolve)); // the request is written
  holdUp(1_800);
  expect(await answer).toEqual({});
});

test('a large answer is read to its end before the limit decides', async () => {
  await using manager = managerOf(serverSpec('huge-result'));
  const server = manager.server('huge-result');
  await server.start();
  const call = server.callTool('big', { bytes: 8_000_000 }, { timeoutMs: 500 });
  await new Promise((resolve) => setImmediate(resolve));
  holdUp(1_800);
  expect(textOf(await call)).toHaveLength(8_000_000);
});

test('a call without a response ends at its deadline, or shortly after a blocked process resumes', async () => {
  await using manager = managerOf(serverSpec('slow'));
  const server = manager.server('slow');
  await server.start();
  const failure = failureOf(server.callTool('wait', { ms: 3_600_000 }, { timeoutMs: 500 }));
  holdUp(1_800);
  expect(await failure).toMatchObject({ code: 'timed-out', retryable: false });
});
