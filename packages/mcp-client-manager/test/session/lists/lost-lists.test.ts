import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { failureOf, fixtureSpec, managerOf, stateOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

test.each(['leaves-while-listing', 'leaves-at-page-two'])(
  'a list fails with its server, and reports how the server ended (%s)',
  async (habit) => {
    await using manager = managerOf(fixtureSpec('odd-server.mjs', [habit]));
    const server = manager.server('fixture');
    await server.start();
    expect(await failureOf(server.listResources())).toMatchObject({
      code: 'outcome-unknown',
      stderrTail: ['last words'],
      message:
        'Server "fixture" exited (code 7) while it worked on "resources/list". The request may or may not have had its effect, so it was not repeated.',
    });
  },
);

test('a list that is requested during a restart comes from the next process', async () => {
  await using manager = managerOf(fixtureSpec('odd-server.mjs', ['plain']));
  const server = manager.server('fixture');
  await server.start();
  const restarting = server.restart();
  await stateOf(manager, 'fixture', 'stopping');
  expect((await server.listResources()).items).toHaveLength(1);
  await restarting;
});
