import { strict as assert } from 'node:assert';
import { afterEach, test } from 'node:test';
import { createClientManager, isManagerError } from '@x/mcp-client-manager';
import {
  expectNoLeaks,
  type FakeServer,
  fakeServer,
  installFakeClock,
  untilPhase,
} from '@x/mcp-client-manager/testing';
import { reserve } from './reserve.js';

afterEach(() => expectNoLeaks());

const managerOf = (fake: FakeServer) => createClientManager({ servers: [{ name: 'stock', ...fake.stdio() }] });

// #region crash
test('a server that dies after it has reserved is not asked to reserve twice', async () => {
  await using fake = fakeServer({
    tools: [
      { name: 'reserve', answers: [{ exit: 'SIGKILL' }] }, // dies with the call in its hands
      { name: 'find_reservation', answers: [{ text: 'reservation 7' }] },
    ],
  });
  await using manager = managerOf(fake);
  assert.equal(await reserve(manager, 'lamp'), 'reservation 7');
  assert.equal(fake.calls('reserve').length, 1);
  assert.equal(fake.calls('find_reservation')[0]?.start, 2); // of the process that came after it
});
// #endregion crash

test('a server that dies before it has reserved is asked again, for the same order', async () => {
  await using fake = fakeServer({
    tools: [
      { name: 'reserve', answers: [{ exit: 1 }, { text: 'reservation 8' }] },
      { name: 'find_reservation', answers: [{ text: '' }] },
    ],
  });
  await using manager = managerOf(fake);
  assert.equal(await reserve(manager, 'lamp'), 'reservation 8');
  const [first, second] = fake.calls('reserve');
  assert.equal(fake.calls('reserve').length, 2);
  assert.deepEqual(second?.arguments, first?.arguments);
});

test('a server that is slow to start is waited for', async () => {
  await using fake = fakeServer({
    starts: [{ handshakeDelayMs: 500 }],
    tools: [{ name: 'reserve', answers: [{ text: 'reservation 9' }] }],
  });
  await using manager = managerOf(fake);
  assert.equal(await reserve(manager, 'lamp'), 'reservation 9');
  assert.equal(fake.starts().length, 1);
});

test('a server that cannot start says why, in its own words', async () => {
  await using fake = fakeServer({ starts: [{ exit: 3, stderr: 'no connection to the warehouse' }] });
  await using manager = managerOf(fake);
  const error = await reserve(manager, 'lamp').catch((error: unknown) => error);
  assert.ok(isManagerError(error) && error.code === 'start-failed');
  assert.match(JSON.stringify([error.message, error.stderrTail]), /no connection to the warehouse/);
});

// #region clock
test('nobody waits for longer than half a minute', async () => {
  using clock = installFakeClock(); // before the manager is made
  await using fake = fakeServer({ tools: [{ name: 'reserve', answers: ['hang'] }] });
  await using manager = createClientManager({ servers: [{ name: 'stock', ...(await fake.http()) }] });
  await manager.server('stock').start();
  const failure = reserve(manager, 'lamp').catch((error: unknown) => error);
  await clock.advance(30_000); // half a minute, at once
  const error = await failure;
  assert.ok(isManagerError(error) && error.code === 'timed-out');
});
// #endregion clock

test('a server that falls over is started again after the wait that its state tells of', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({
    starts: [{ exit: 1 }, 'works'],
    tools: [{ name: 'reserve', answers: [{ text: 'reservation 10' }] }],
  });
  await using manager = managerOf(fake);
  await assert.rejects(reserve(manager, 'lamp'), { code: 'start-failed' });
  const { delayMs } = await untilPhase(manager, 'stock', 'backoff');
  await clock.advance(delayMs);
  await untilPhase(manager, 'stock', 'ready');
  assert.equal(await reserve(manager, 'lamp'), 'reservation 10');
});

test('a server that writes junk between its messages is understood', async () => {
  await using fake = fakeServer({
    noise: { stdout: 'junk', stderrBytes: 100_000 },
    tools: [{ name: 'reserve', answers: [{ text: 'reservation 11' }] }],
  });
  await using manager = managerOf(fake);
  assert.equal(await reserve(manager, 'lamp'), 'reservation 11');
});
