import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

function sendDie(server: RawServer, args: object): void {
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'die', arguments: args } });
}

test('dies-mid-call exits with the code it was given, after a line on stderr', async () => {
  await using server = new RawServer('dies-mid-call');
  sendDie(server, { code: 7 });
  expect(await server.stderr()).toBe('dies-mid-call: cannot go on\n');
  expect(await server.exited).toEqual({ code: 7, signal: null });
  expect(server.lines).toEqual([]);
});

test.skipIf(process.platform === 'win32').each(['SIGKILL', 'SIGSEGV'])('dies-mid-call dies by %s', async (signal) => {
  await using server = new RawServer('dies-mid-call');
  sendDie(server, { signal });
  expect(await server.exited).toEqual({ code: null, signal });
});

test('dies-mid-call works until its fatal call', async () => {
  await using server = new RawServer('dies-mid-call');
  expect(await server.text('echo', { text: 'fine' })).toBe('fine');
});

test('exits-at-once leaves with its code and last words', async () => {
  await using server = new RawServer('exits-at-once', '--code', '9', '--stderr', 'no licence found');
  expect(await server.stderr()).toBe('no licence found\n');
  expect(await server.exited).toEqual({ code: 9, signal: null });
});

test('counter crashes on its first starts and then works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counter-'));
  const file = join(folder, 'starts');
  try {
    for (const start of [1, 2]) {
      await using server = new RawServer('counter', '--file', file, '--crash-first', '2', '--code', '4');
      expect(await server.stderr()).toBe(`counter: crashing on start ${start}\n`);
      expect(await server.exited).toEqual({ code: 4, signal: null });
    }
    await using server = new RawServer('counter', '--file', file, '--crash-first', '2');
    expect(await server.text('starts')).toBe('3');
    expect((await readFile(file, 'utf8')).trim().split('\n').at(-1)).toBe(String(server.child.pid));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('counter can wait for the first tools/list to crash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counter-'));
  try {
    const file = join(folder, 'starts');
    await using server = new RawServer('counter', '--file', file, '--crash-first', '1', '--when', 'tools');
    expect((await server.initialize()).result).toBeDefined();
    server.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
    expect(await server.exited).toEqual({ code: 1, signal: null });
  } finally {
    await rm(folder, { recursive: true });
  }
});
