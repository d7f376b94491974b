import { afterEach, describe, expect, test } from 'vitest';
import { expectNoLeaks, fakeServer, installFakeClock, untilPhase } from '../../../src/testing.js';
import { failureOf, managerOf, textOf } from '../../helpers/servers.js';
import { carriers, managerOfFake } from '../helpers/carriers.js';
import { patiently } from '../helpers/patiently.js';

afterEach(() => expectNoLeaks());

test('a restarting server is brought through its back-off without a wait, with real processes', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'a', answers: [{ exit: 1 }, { exit: 1 }, { exit: 1 }, 'echo'] }] });
  await using manager = managerOf({ name: 'fake', ...fake.stdio(), restart: { maxAttempts: 10 } });
  for (let start = 1; start <= 3; start += 1) {
    await manager.server('fake').start();
    expect(await failureOf(manager.callTool('fake', 'a'))).toMatchObject({ code: 'outcome-unknown' });
    const { delayMs } = await untilPhase(manager, 'fake', 'backoff');
    await clock.advance(delayMs);
    await untilPhase(manager, 'fake', 'ready');
    expect(fake.starts()).toHaveLength(start + 1);
  }
  expect(textOf(await manager.callTool('fake', 'a', {}))).toBe('{}');
});

test('a parked server is tried again after its long wait', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ starts: [{ exit: 1 }, { exit: 1 }, 'works'] });
  await using manager = managerOf({ name: 'fake', ...fake.stdio(), restart: { maxAttempts: 1 } });
  await failureOf(manager.server('fake').start());
  await clock.advance((await untilPhase(manager, 'fake', 'backoff')).delayMs);
  const { delayMs } = await untilPhase(manager, 'fake', 'parked');
  expect(delayMs).toBeGreaterThan(60_000);
  await clock.advance(delayMs);
  await untilPhase(manager, 'fake', 'ready');
});

describe.each(carriers)('over %s', (carrier) => {
  test('an idle server is stopped when its time is over', async () => {
    using clock = installFakeClock();
    await using fake = fakeServer();
    await using manager = await managerOfFake(fake, carrier, { limits: { idleStopMs: 600_000 } });
    await manager.callTool('fake', 'echo', {});
    await clock.advance(600_000);
    await untilPhase(manager, 'fake', 'idle');
    expect(manager.server('fake').status.restarts).toBe(0);
    await manager.callTool('fake', 'echo', {});
    expect(fake.calls()).toHaveLength(2);
  });

  test('a server that answers its health checks is healthy after an hour', async () => {
    using clock = installFakeClock();
    await using fake = fakeServer();
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    await clock.advance(3_600_000);
    expect(manager.server('fake').status).toMatchObject({ phase: 'ready', health: 'healthy', restarts: 0 });
  });

  test('a server that answers them no more is started again', async () => {
    using clock = installFakeClock();
    await using fake = fakeServer({ tools: [{ name: 'alive', answers: ['echo', 'hang', 'hang', 'hang', 'echo'] }] });
    const health = { method: 'tool_call', tool: 'alive' } as const;
    await using manager = await managerOfFake(fake, carrier, { health });
    await manager.server('fake').start();
    let isNoticed = false;
    const noticed = untilPhase(manager, 'fake', 'backoff').then(() => {
      isNoticed = true;
    });
    while (!isNoticed) await clock.advance(5_000);
    await noticed;
    await untilPhase(manager, 'fake', 'ready');
    expect(manager.server('fake').status.restarts).toBe(1);
  });
});

test.each(['stdio', 'in-process'] as const)(
  'a start on the way is waited for, however far the clock is put forward (%s)',
  async (carrier) => {
    using clock = installFakeClock();
    await using fake = fakeServer({ tools: [{ name: 'a', answers: [{ exit: 1 }] }] });
    await using manager = await managerOfFake(fake, carrier);
    expect(await failureOf(manager.callTool('fake', 'a'))).toMatchObject({ code: 'outcome-unknown' });
    await untilPhase(manager, 'fake', 'backoff');
    await clock.advance(600_000);
    expect(manager.server('fake').status).toMatchObject({ phase: 'ready', restarts: 1 });
  },
);

test('a call that times out is cancelled on its server', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'a', answers: ['hang'] }] });
  await using manager = managerOf({ name: 'fake', ...fake.inProcess() });
  await manager.server('fake').start();
  const failure = failureOf(manager.callTool('fake', 'a', {}, { timeoutMs: 300_000 }));
  await clock.advance(300_000);
  expect(await failure).toMatchObject({ code: 'timed-out' });
  await expect.poll(() => fake.calls('a'), patiently).toMatchObject([{ isCancelled: true }]);
});

test('a fake server of this process takes its time by the same clock', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'a', answers: [{ text: 'done', afterMs: 50_000 }] }] });
  await using manager = managerOf({ name: 'fake', ...fake.inProcess() });
  await manager.server('fake').start();
  const result = manager.callTool('fake', 'a');
  await expect.poll(() => fake.calls('a'), patiently).toHaveLength(1);
  await clock.advance(50_000);
  expect(textOf(await result)).toBe('done');
});

test('a manager with a stubborn server is closed under the clock, and after it', async () => {
  await using fake = fakeServer({ ignores: ['stdin-end'] });
  const clock = installFakeClock();
  const managers = [1, 2].map(() => managerOf({ name: 'fake', ...fake.stdio(), limits: { shutdownTimeoutMs: 1_000 } }));
  await Promise.all(managers.map((manager) => manager.server('fake').start()));
  await managers[0]?.close();
  clock.uninstall();
  await managers[1]?.close();
});
