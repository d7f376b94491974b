import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { fakeServer, installFakeClock, untilPhase } from '../../src/testing.js';
import { managerOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

test('failures are halved while a server is healthy, and each missed check restarts that period', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({
    starts: [{ exit: 1 }, 'works'],
    tools: [{ name: 'alive', answers: ['hang', 'echo'] }],
  });
  const healthCheck = { method: 'tool_call', tool: 'alive' } as const;
  await using manager = managerOf({ name: 'fake', ...fake.stdio(), healthCheck });
  const server = manager.server('fake');
  await server.start().catch(() => undefined);
  const { delayMs } = await untilPhase(manager, 'fake', 'backoff');
  await clock.advance(delayMs);
  await untilPhase(manager, 'fake', 'ready');
  expect(server.lifecycle).toMatchObject({ failures: 1 });
  // The first check is known to be a miss after 32 to 38 s, and the second passes 27 to 33 s later.
  await clock.advance(58_000);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 1 });
  await clock.advance(22_000);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 0 });
});
