import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClientManager } from '@x/mcp-client-manager';
import {
  expectNoLeaks,
  fakeServer,
  findLeaks,
  installFakeClock,
  openResources,
  untilPhase,
} from '@x/mcp-client-manager/testing';
import { afterEach, expect, test } from 'vitest';

// #region since
const since = openResources();
afterEach(() => expectNoLeaks({ since }));
// #endregion since

test('a wait of the manager is skipped by the time that it tells', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ starts: [{ exit: 3, stderr: 'no disk' }, 'works'] });
  await using manager = createClientManager({ servers: [{ name: 'sky', ...fake.stdio() }] });
  const failure = manager
    .server('sky')
    .start()
    .catch((error: unknown) => error);
  // #region skip
  const { delayMs } = await untilPhase(manager, 'sky', 'backoff');
  await clock.advance(delayMs);
  await untilPhase(manager, 'sky', 'ready');
  // #endregion skip
  await failure;
  expect(fake.starts()).toHaveLength(2);
});

test('what is left open is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await findLeaks({ since })).toContainEqual({ kind: 'server', count: 1 });
  await new Promise((resolve) => server.close(resolve));
});
