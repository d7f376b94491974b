import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { fakeServer, installFakeClock, untilPhase } from '../../src/testing.js';
import { managerOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

test('failures are halved while a server is healthy, and each missed check restarts that period', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({
    starts: [{ exit: 1 }, { exit: 1 }, 'works'],
    tools: [{ name: 'alive', answers: ['echo', 'hang', 'echo'] }],
  });
  const health = { method: 'tool_call', tool: 'alive' } as const;
  await using manager = managerOf({ name: 'fake', ...fake.stdio(), health });
  const server = manager.server('fake');
  await server.start().catch(() => undefined);
  for (const _start of ['second', 'third']) {
    const { delayMs } = await untilPhase(manager, 'fake', 'backoff');
    await clock.advance(delayMs);
  }
  await untilPhase(manager, 'fake', 'ready');
  expect(server.lifecycle).toMatchObject({ failures: 2 });
  await clock.advance(21_000); // the check of the start has passed
  expect(server.lifecycle).toMatchObject({ failures: 1 });
  // The next check is known to be a miss after 32 to 38 s, and the second passes 27 to 33 s later.
  await clock.advance(37_000);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 1 });
  await clock.advance(22_000);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 0 });
});
