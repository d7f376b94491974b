import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ServerChange } from '../src/changes.js';
import { failureOf, managerOf, serverSpec, warningsDuring } from './helpers/servers.js';

afterEach(expectNoLeaks);

const brief = ({ server, status }: ServerChange): string => `${server} ${status?.phase ?? 'gone'}`;

test('a reader begins with where every server is', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow'));
  await manager.server('slow').start();
  const seen: string[] = [];
  for await (const change of manager.changes()) {
    seen.push(brief(change));
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(['echo idle', 'slow ready']);
});

test('a slow reader gets one row for all changes of a server', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const reader = manager.changes()[Symbol.asyncIterator]();
  expect(brief((await reader.next()).value as ServerChange)).toBe('echo idle');
  const next = reader.next();
  await manager.server('echo').start();
  await next;
  for (let round = 0; round < 3; round += 1) await manager.server('echo').restart();
  expect(brief((await reader.next()).value as ServerChange)).toBe('echo ready');
  const later = reader.next();
  await manager.server('echo').stop();
  expect(brief((await later).value as ServerChange)).toMatch(/^echo (stopping|idle)$/);
  await reader.return?.();
});

test('reports servers that are added and removed', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const reader = manager.changes()[Symbol.asyncIterator]();
  await reader.next();
  const next = reader.next();
  await manager.apply({ servers: [serverSpec('slow')] });
  const seen = [await next, await reader.next()].map(({ value }) => brief(value as ServerChange));
  expect(seen.sort()).toEqual(['echo gone', 'slow idle']);
  await reader.return?.();
});

test('reports a removal once, although the server changes until it has ended', async () => {
  await using manager = managerOf(serverSpec('echo'), serverSpec('slow'));
  await manager.server('echo').start();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const change of manager.changes()) seen.push(brief(change));
  })();
  await new Promise(setImmediate);
  await manager.apply({ servers: [serverSpec('slow')] });
  await manager.close();
  await reading;
  expect(seen.filter((row) => row.startsWith('echo'))).toEqual(['echo ready', 'echo gone']);
});

test('the end of the manager is the end of every reader, after the last rows', async () => {
  const manager = managerOf(serverSpec('echo'));
  await manager.server('echo').start();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const change of manager.changes()) seen.push(brief(change));
  })();
  await manager.close();
  await reading;
  expect(seen.at(-1)).toBe('echo closed');
  for await (const change of manager.changes()) expect(brief(change)).toBe('echo closed');
});

test('an abort rejects with its reason', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const end = new AbortController();
  const reason = new Error('enough');
  const reader = manager.changes({ signal: end.signal })[Symbol.asyncIterator]();
  await reader.next();
  const next = failureOf(reader.next());
  end.abort(reason);
  expect(await next).toBe(reason);
  expect(await failureOf(manager.changes({ signal: end.signal })[Symbol.asyncIterator]().next())).toBe(reason);
});

test('fifty readers with one signal warn of no leak', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const { signal } = new AbortController();
  const warnings = await warningsDuring(async () => {
    const readers = Array.from({ length: 50 }, () => manager.changes({ signal })[Symbol.asyncIterator]());
    await Promise.all(readers.map((reader) => reader.next()));
    await Promise.all(readers.map((reader) => reader.return?.()));
  });
  expect(warnings).toEqual([]);
});
