import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openSession } from '../../helpers/open-session.js';
import { failureOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

test('calls a tool that supports only tasks like any other', async () => {
  await using opened = await openSession('tasks');
  const { session } = opened;
  await session.listTools({ signal });
  expect(await opened.text('add_slowly', { a: 1, b: 2 })).toBe('3');
  const told = new Promise((resolve, reject) => {
    session.send({
      method: 'tools/call',
      params: { name: 'add_slowly', arguments: { a: 2, b: 2 } },
      what: 'the call of "add_slowly"',
      meta: undefined,
      wantsProgress: false,
      inputRequired: undefined,
      handler: undefined,
      onProgress: () => undefined,
      onResult: resolve,
      onFailure: reject,
    });
  });
  expect(await told).toMatchObject({ content: [{ text: '4' }] });
});

test('returns the failure of a task as a result', async () => {
  await using opened = await openSession('tasks');
  await opened.session.listTools({ signal });
  const result = await opened.session.callTool('add_slowly', { a: 1, b: 2, fail: true }, { signal });
  expect(result).toMatchObject({ isError: true, content: [{ text: 'it did not work' }] });
});

test('an aborted call cancels its task', async () => {
  await using opened = await openSession('tasks');
  const { session } = opened;
  await session.listTools({ signal });
  const end = new AbortController();
  const call = failureOf(session.callTool('add_slowly', { a: 1, b: 2, ms: 60_000 }, { signal: end.signal }));
  while (((await opened.call('statuses')) as string[])[0] !== 'working');
  end.abort(new Error('enough'));
  expect(await call).toMatchObject({ message: 'enough' });
  while (((await opened.call('statuses')) as string[])[0] !== 'cancelled');
});

test('callers may send task requests themselves', async () => {
  await using opened = await openSession('tasks');
  expect(await opened.session.request('tasks/list', {}, { signal })).toMatchObject({ tasks: [] });
});
