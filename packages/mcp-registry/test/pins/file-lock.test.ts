import { lutimes, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdFile } from '../../src/pins/file-lock.js';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(directory, 'pins.lock');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function makeStale(): Promise<void> {
  const before = new Date(Date.now() - 60_000);
  await utimes(path, before, before);
}

test('a lock is its holder’s until it is released', async () => {
  const lock = await holdFile(path, { waitMs: 1_000 });
  await expect(holdFile(path, { waitMs: 1 })).rejects.toMatchObject({ code: 'pin-store-failed' });
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
    await expect(holdFile(path, { waitMs: 100 })).rejects.toMatchObject({ code: 'pin-store-failed' });

    const before = new Date(Date.now() - 60_000);
    await lutimes(path, before, before);
    const lock = await holdFile(path, { waitMs: 1_000 });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  },
);
