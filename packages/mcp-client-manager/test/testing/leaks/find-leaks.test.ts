import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { markedInListing } from '../../../src/testing/leaks/find-leaks.js';
import { expectNoLeaks, fakeServer, findLeaks, openResources } from '../../../src/testing.js';
import { failureOf, managerOf } from '../../helpers/servers.js';
import { managerOfFake } from '../helpers/carriers.js';
import { patiently } from '../helpers/patiently.js';

afterEach(() => expectNoLeaks());

test('finds the processes of a manager in this process, and no others', async () => {
  await using fake = fakeServer({ grandchild: 'plain' });
  await using manager = managerOf({ name: 'fake', ...fake.stdio() });
  const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await manager.server('fake').start();
  await expect.poll(() => findLeaks(), patiently).toHaveLength(2);
  const { pid } = manager.server('fake').status;
  expect(await findLeaks()).toContainEqual({ kind: 'process', pid, command: expect.stringContaining('fake-server') });
  expect(await findLeaks({ host: stranger.pid })).toEqual([]);
  await manager.close();
  expect(await findLeaks()).toEqual([]);
  stranger.kill();
  await once(stranger, 'exit');
});

test('leftover processes are listed and killed', async () => {
  await using fake = fakeServer();
  await using manager = managerOf({ name: 'fake', ...fake.stdio() });
  await manager.server('fake').start();
  const { pid } = manager.server('fake').status;
  const failure = (await failureOf(expectNoLeaks({ graceMs: 0 }))) as Error;
  expect(failure.message).toMatch(/^Found leaks\. Close every manager and every fake server\.$/m);
  expect(failure.message).toMatch(new RegExp(`^  process ${pid} of a client manager \\(killed now\\): \\S`, 'm'));
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

test('timers, servers and sockets that were opened since are found, and nothing that was there before', async () => {
  const others = [setTimeout(() => undefined, 60_000), createServer().listen(0, '127.0.0.1')] as const;
  await once(others[1], 'listening');
  const since = openResources();
  expect(await findLeaks({ since })).toEqual([]);
  const timers = [setTimeout(() => undefined, 60_000), setInterval(() => undefined, 60_000)];
  setTimeout(() => undefined, 60_000).unref();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await findLeaks({ since })).toEqual([
    { kind: 'timer', count: 2 },
    { kind: 'server', count: 1 },
  ]);
  const failure = (await failureOf(expectNoLeaks({ since, graceMs: 0 }))) as Error;
  expect(failure.message).toMatch(/^ {2}2 unclosed timers$/m);
  expect(failure.message).toMatch(/^ {2}1 unclosed server$/m);
  for (const timer of timers) clearTimeout(timer);
  const closing = expectNoLeaks({ since });
  server.close();
  await closing;
  clearTimeout(others[0]);
  others[1].close();
});

test.each(['stdio', 'in-process', 'http'] as const)('a manager and a fake leave nothing open (%s)', async (carrier) => {
  const since = openResources();
  {
    await using fake = fakeServer();
    await using manager = await managerOfFake(fake, carrier);
    await manager.callTool('fake', 'echo', {});
    if (carrier !== 'in-process') expect(await findLeaks({ since })).not.toEqual([]);
  }
  await expectNoLeaks({ since });
});

test.each([
  [{ host: -1 }, 'host must be the id of a process, got -1'],
  [{ graceMs: Number.NaN }, 'graceMs must be a number from 0 on, got NaN'],
])('options that make no sense are refused: %j', async (options, message) => {
  await expect(expectNoLeaks(options)).rejects.toThrow(new TypeError(message));
});

test('uses the listing of ps without a process table', () => {
  const listing = [
    '    1 Ss   /sbin/init PATH=/bin',
    '  100 Sl   node server.js --flag HOME=/home/me MCP_CLIENT_MANAGER_OWNER=42-abc PATH=/bin',
    '  101 Z    node <defunct> MCP_CLIENT_MANAGER_OWNER=42-abc',
    '  102 S    node other.js MCP_CLIENT_MANAGER_OWNER=421-abc',
    '  103 S    grep MCP_CLIENT_MANAGER_OWNER=7-',
    '',
  ].join('\n');
  expect(markedInListing(listing, 'MCP_CLIENT_MANAGER_OWNER=42-')).toEqual([
    { kind: 'process', pid: 100, command: 'node server.js --flag' },
  ]);
});
