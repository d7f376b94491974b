import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdFile } from '../../src/auth/file-lock.js';
import { failureOf } from '../helpers/failure-of.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(directory, 'a.lock');
});
afterEach(() => rm(directory, { recursive: true }));

test('one after the other holds it, and nothing is left of it', async () => {
  let holders = 0;
  const work = async (): Promise<void> => {
    const release = await holdFile(path, { waitMs: 60_000 });
    holders += 1;
    expect(holders).toBe(1);
    await readdir(directory);
    holders -= 1;
    await release();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  expect(await readdir(directory)).toEqual([]);
});

test('whoever waits too long is told', async () => {
  const release = await holdFile(path, { waitMs: 1_000 });
  expect(await failureOf(holdFile(path, { waitMs: 30 }))).toMatchObject({
    message: `${path} is held by another process`,
  });
  await release();
});

test('what a process left behind is taken over, by one of those who find it', async () => {
  await writeFile(path, '');
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(path, longAgo, longAgo);
  let holders = 0;
  const work = async (): Promise<void> => {
    const release = await holdFile(path, { waitMs: 60_000 });
    holders += 1;
    expect(holders).toBe(1);
    await readdir(directory);
    holders -= 1;
    await release();
  };
  await Promise.all(Array.from({ length: 5 }, work));
  expect(await readdir(directory)).toEqual([]);
});

test('a directory that is not there is said to be', async () => {
  expect(await failureOf(holdFile(join(directory, 'no', 'a.lock'), { waitMs: 30 }))).toMatchObject({ code: 'ENOENT' });
});

test('who was asleep for too long has lost it, and leaves alone what another one holds', async () => {
  const sleeper = await holdFile(path, { waitMs: 1_000 });
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(path, longAgo, longAgo);
  const next = await holdFile(path, { waitMs: 1_000 });
  await sleeper();
  expect(await failureOf(holdFile(path, { waitMs: 30 }))).toMatchObject({
    message: `${path} is held by another process`,
  });
  await next();
  expect(await readdir(directory)).toEqual([]);
});
