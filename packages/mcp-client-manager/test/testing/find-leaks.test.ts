import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { markedInListing } from '../../src/testing/find-leaks.js';
import { expectNoLeaks, fakeServer, findLeaks } from '../../src/testing.js';
import { failureOf, managerOf } from '../helpers/servers.js';

afterEach(() => expectNoLeaks());

test('what a manager of this process runs is found, and nothing else', async () => {
  await using fake = fakeServer({ grandchild: 'plain' });
  await using manager = managerOf({ name: 'fake', ...fake.stdio() });
  const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await manager.server('fake').start();
  await expect.poll(() => findLeaks()).toHaveLength(2);
  const [server] = await findLeaks();
  expect(server).toEqual({ pid: manager.server('fake').status.pid, command: expect.stringContaining('fake-server') });
  expect(await findLeaks({ host: stranger.pid })).toEqual([]);
  await manager.close();
  expect(await findLeaks()).toEqual([]);
  stranger.kill();
  await once(stranger, 'exit');
});

test('what is left behind is named, and killed', async () => {
  await using fake = fakeServer();
  await using manager = managerOf({ name: 'fake', ...fake.stdio() });
  await manager.server('fake').start();
  const { pid } = manager.server('fake').status;
  const failure = (await failureOf(expectNoLeaks({ graceMs: 0 }))) as Error;
  expect(failure.message).toContain('1 process(es) of client managers were left behind');
  expect(failure.message).toMatch(new RegExp(`^ {2}${pid} {2}\\S`, 'm'));
  await expectNoLeaks();
});

test('a process that is on its way out is waited for', async () => {
  await using fake = fakeServer();
  const manager = managerOf({ name: 'fake', ...fake.stdio() });
  await manager.server('fake').start();
  const closing = manager.close();
  await expectNoLeaks();
  await closing;
});

test('where there is no table of processes to read, the listing of ps tells', () => {
  const listing = [
    '    1 Ss   /sbin/init PATH=/bin',
    '  100 Sl   node server.js --flag HOME=/home/me MCP_CLIENT_MANAGER_OWNER=42-abc PATH=/bin',
    '  101 Z    node <defunct> MCP_CLIENT_MANAGER_OWNER=42-abc',
    '  102 S    node other.js MCP_CLIENT_MANAGER_OWNER=421-abc',
    '  103 S    grep MCP_CLIENT_MANAGER_OWNER=7-',
    '',
  ].join('\n');
  expect(markedInListing(listing, 'MCP_CLIENT_MANAGER_OWNER=42-')).toEqual([
    { pid: 100, command: 'node server.js --flag' },
  ]);
});
