import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { fakeServer, installFakeClock, untilPhase } from '../../src/testing.js';
import { managerOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

test('the time that a server has to be well begins anew with each miss', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({
    starts: [{ exit: 1 }, 'works'],
    tools: [{ name: 'alive', answers: ['echo', 'echo', 'hang', 'echo'] }],
  });
  const healthCheck = { method: 'tool_call', tool: 'alive' } as const;
  await using manager = managerOf({ name: 'fake', ...fake.stdio(), healthCheck });
  const server = manager.server('fake');
  await server.start().catch(() => undefined);
  const { delayMs } = await untilPhase(manager, 'fake', 'backoff');
  await clock.advance(delayMs);
  await untilPhase(manager, 'fake', 'ready');
  expect(server.phase).toMatchObject({ failures: 1 });
  // The third check comes after 81 s at the earliest, and 104 s after the start it is known to be a miss.
  await clock.advance(125_000);
  expect(server.phase).toMatchObject({ phase: 'ready', failures: 1 });
  await clock.advance(105_000);
  expect(server.phase).toMatchObject({ phase: 'ready', failures: 0 });
});
