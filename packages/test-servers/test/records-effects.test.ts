import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'effects-'));
  file = join(folder, 'effects');
});
afterEach(() => rm(folder, { recursive: true }));
afterEach(expectNoLeaks);

test('records-effects records each call once, and answers with what it recorded', async () => {
  await using server = new RawServer('records-effects', '--file', file, '--name', 's1');
  expect(await server.text('effect', { id: 'a' })).toBe('s1 a');
  expect(await server.text('effect', { id: 'b', ms: 1 })).toBe('s1 b');
  expect(await readFile(file, 'utf8')).toBe('s1 a\ns1 b\n');
});

// Windows has neither of the two signals.
test.skipIf(process.platform === 'win32')(
  'records-effects exits in the call after SIGUSR2, with the effect',
  async () => {
    await using server = new RawServer('records-effects', '--file', file);
    await server.initialize();
    server.child.kill('SIGUSR2');
    await once(server.child.stderr, 'data');
    server.send({
      jsonrpc: '2.0',
      id: 'last',
      method: 'tools/call',
      params: { name: 'effect', arguments: { id: 'a' } },
    });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(await readFile(file, 'utf8')).toBe('server a\n');
    expect(server.lines.filter((line) => line.includes('last'))).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')('records-effects writes junk on SIGHUP and goes on', async () => {
  await using server = new RawServer('records-effects', '--file', file);
  await server.initialize();
  server.child.kill('SIGHUP');
  await once(server.child.stdout, 'data');
  expect(await server.text('effect', { id: 'a' })).toBe('server a');
  expect(server.lines).toContain('Reconnecting...');
});

test.skipIf(process.platform !== 'linux')('records-effects has a grandchild and stays when stdin ends', async () => {
  await using server = new RawServer('records-effects', '--file', file, '--grandchild', '--ignores-stdin-end');
  await server.initialize();
  server.child.stdin.end();
  server.child.kill('SIGHUP');
  await once(server.child.stdout, 'data');
  const processes = await findLeaks();
  expect(processes.length).toBe(2);
  for (const { pid } of processes) process.kill(pid, 'SIGKILL');
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
});
