import { lutimes, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HeldFile, holdFile as tryToHold } from '../../src/files/file-lock.js';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(directory, 'pins.lock');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function holdFile(file: string, { waitMs }: { waitMs: number }): Promise<HeldFile> {
  const lock = await tryToHold(file, { waitMs });
  if (lock === undefined) throw new Error('another holder has it');
  return lock;
}

async function makeStale(): Promise<void> {
  const before = new Date(Date.now() - 60_000);
  await utimes(path, before, before);
}

test('a lock is its holder’s until it is released', async () => {
  const lock = await holdFile(path, { waitMs: 1_000 });
  expect(await tryToHold(path, { waitMs: 1 })).toBeUndefined();
  expect(await lock.isHeld()).toBe(true);
  await lock.release();
  expect(await readdir(directory)).toEqual([]);
});

test('who was asleep for too long has lost it, and leaves alone what another one holds', async () => {
  const sleeper = await holdFile(path, { waitMs: 1_000 });
  await makeStale();
  const next = await holdFile(path, { waitMs: 1_000 });
  expect(await sleeper.isHeld()).toBe(false);
  await sleeper.release();
  expect(await next.isHeld()).toBe(true);
  await next.release();
  expect(await readdir(directory)).toEqual([]);
});

test('of many who find a stale lock, one has it at a time', async () => {
  for (let round = 0; round < 5; round++) {
    await writeFile(path, '');
    await makeStale();
    let holders = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const lock = await holdFile(path, { waitMs: 10_000 });
        expect(++holders).toBe(1);
        expect(await lock.isHeld()).toBe(true);
        holders--;
        await lock.release();
      }),
    );
    expect(await readdir(directory)).toEqual([]);
  }
});

test.runIf(process.platform !== 'win32')(
  'a link that leads nowhere is waited for, and taken away when it is old',
  async () => {
    await symlink(join(directory, 'nowhere'), path);
    const before = process.cpuUsage();
    expect(await tryToHold(path, { waitMs: 300 })).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, 'milliseconds of work while it waits').toBeLessThan(150);

    const longAgo = new Date(Date.now() - 60_000);
    await lutimes(path, longAgo, longAgo);
    const lock = await holdFile(path, { waitMs: 1_000 });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  },
);

test('a folder that does not exist is an error of the file system', async () => {
  await expect(tryToHold(join(directory, 'no', 'a.lock'), { waitMs: 30 })).rejects.toMatchObject({ code: 'ENOENT' });
});
