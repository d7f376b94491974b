import { expect, test } from 'vitest';
import { fakeServer, untilPhase } from '../../src/testing.js';
import { managerOf } from '../helpers/servers.js';

test('a server that is there already is not waited for', async () => {
  await using manager = managerOf({ name: 'fake', ...fakeServer().inProcess() });
  expect(await untilPhase(manager, 'fake', 'idle')).toMatchObject({ phase: 'idle' });
});

test('the state has its details', async () => {
  const fake = fakeServer({ tools: [{ name: 'a', answers: [{ exit: 1 }] }] });
  await using manager = managerOf({ name: 'fake', ...fake.inProcess() });
  const backoff = untilPhase(manager, 'fake', 'backoff');
  await expect(manager.callTool('fake', 'a')).rejects.toThrow();
  expect((await backoff).delayMs).toBeGreaterThan(0);
});

test('a manager that is closed first ends the wait', async () => {
  const manager = managerOf({ name: 'fake', ...fakeServer().inProcess() });
  const ready = untilPhase(manager, 'fake', 'ready');
  await Promise.all([manager.close(), expect(ready).rejects.toThrow('Server "fake" was closed before it was ready')]);
});

test('so does a signal, before and while', async () => {
  await using manager = managerOf({ name: 'fake', ...fakeServer().inProcess() });
  const reason = new Error('enough');
  const end = new AbortController();
  const ready = untilPhase(manager, 'fake', 'ready', { signal: end.signal });
  end.abort(reason);
  await expect(ready).rejects.toBe(reason);
  await expect(untilPhase(manager, 'fake', 'idle', { signal: end.signal })).rejects.toBe(reason);
});

test('a server that there is none of is named', async () => {
  await using manager = managerOf({ name: 'fake', ...fakeServer().inProcess() });
  await expect(untilPhase(manager, 'fog', 'ready')).rejects.toMatchObject({ code: 'unknown-server' });
});
