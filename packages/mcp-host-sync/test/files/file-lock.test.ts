import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clearStaleLock, findStaleLock, lockFile } from '../../src/files/file-lock.js';
import { isHostFileError } from '../../src/index.js';
import { temporaryMachine } from '../helpers/temporary-machine.js';

async function machineWithFile() {
  const machine = await temporaryMachine();
  return { ...machine, path: await machine.file('home/settings.json', '{}') };
}

test('the second process waits for the first', async () => {
  const { path } = await machineWithFile();
  const order: string[] = [];
  const first = await lockFile(path);
  const second = lockFile(path).then((lock) => {
    order.push('second has it');
    return lock;
  });
  order.push('first is done');
  await first[Symbol.asyncDispose]();
  await (await second)[Symbol.asyncDispose]();
  expect(order).toEqual(['first is done', 'second has it']);
  expect(await readdir(dirname(path))).toEqual(['settings.json']);
});

test('is free after its release, also if another process read its note meanwhile', async () => {
  const { path } = await machineWithFile();
  const lock = await lockFile(path);
  const [note = ''] = await readdir(`${path}.lock`);
  const reader = await open(join(`${path}.lock`, note));
  const released = lock[Symbol.asyncDispose]();
  await stat(join(`${path}.lock`, note)).catch(() => undefined); // the release has begun
  await reader.close();
  await released;
  expect(await readdir(dirname(path))).toEqual(['settings.json']);
});

test('many processes get the lock one at a time', async () => {
  const { path } = await machineWithFile();
  let inside = 0;
  const most: number[] = [];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      await using _lock = await lockFile(path, { timeoutMs: 60_000 });
      inside += 1;
      most.push(inside);
      await readdir(dirname(path));
      inside -= 1;
    }),
  );
  expect(most).toEqual(Array.from({ length: 12 }, () => 1));
});

test('a wait that takes too long fails with advice', async () => {
  const { path } = await machineWithFile();
  await using _lock = await lockFile(path);
  const error = await lockFile(path, { timeoutMs: 0 }).catch((cause: unknown) => cause);
  expect(isHostFileError(error) && error.code).toBe('locked');
  expect(String(error)).toContain(`remove ${path}.lock`);
});

test('the signal ends a wait', async () => {
  const { path } = await machineWithFile();
  await using _lock = await lockFile(path);
  const controller = new AbortController();
  const waiting = lockFile(path, { signal: controller.signal });
  const reason = new Error('stop');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

describe('a lock of another process', () => {
  test.each([
    ['with the note that Cline leaves', 'owner.1.2.3', '1.2.3'],
    ['with a note of ours from another machine', 'owner.1', '{"pid":1,"host":"elsewhere"}'],
    ['without anything in it', undefined, ''],
  ])('%s is respected while it is fresh, and taken over once it is stale', async (_, note, text) => {
    const { path } = await machineWithFile();
    const lock = `${path}.lock`;
    await mkdir(lock);
    if (note !== undefined) await writeFile(join(lock, note), text);
    await expect(lockFile(path, { timeoutMs: 0 })).rejects.toThrow('is in use by another process');

    const longAgo = new Date(Date.now() - 11_000);
    await utimes(lock, longAgo, longAgo);
    await (await lockFile(path))[Symbol.asyncDispose]();
    expect(await readdir(dirname(path))).toEqual(['settings.json']);
  });

  test('a lock that is a file is taken over once it is stale', async () => {
    const { path } = await machineWithFile();
    await writeFile(`${path}.lock`, '');
    await expect(lockFile(path, { timeoutMs: 0 })).rejects.toThrow('is in use by another process');
    const longAgo = new Date(Date.now() - 11_000);
    await utimes(`${path}.lock`, longAgo, longAgo);
    await (await lockFile(path))[Symbol.asyncDispose]();
    expect(await readdir(dirname(path))).toEqual(['settings.json']);
  });

  test('a stale lock stays with the process that took it over first', async () => {
    const { path } = await machineWithFile();
    await mkdir(`${path}.lock`);
    await writeFile(join(`${path}.lock`, 'owner.x'), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    const stale = await findStaleLock(`${path}.lock`);
    expect(stale?.notes).toEqual(['owner.x']);

    await using _fresh = await lockFile(path);
    const before = await readdir(`${path}.lock`);
    if (stale !== undefined) await clearStaleLock(stale);
    expect(await readdir(`${path}.lock`)).toEqual(before);
    await expect(lockFile(path, { timeoutMs: 0 })).rejects.toThrow('is in use by another process');
  });

  test('the lock of a dead process is taken over immediately', async () => {
    const { path } = await machineWithFile();
    await mkdir(`${path}.lock`);
    const note = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() });
    await writeFile(join(`${path}.lock`, 'owner.x'), note);
    await (await lockFile(path, { timeoutMs: 0 }))[Symbol.asyncDispose]();
  });

  test("cannot replace this process's lock, as Cline would try", async () => {
    const { path } = await machineWithFile();
    await using _lock = await lockFile(path);
    const staging = `${path}.lock.tmp.1`;
    await mkdir(staging);
    await writeFile(join(staging, 'owner.1'), '');
    await expect(rename(staging, `${path}.lock`)).rejects.toMatchObject({
      code: process.platform === 'win32' ? 'EPERM' : 'ENOTEMPTY',
    });
  });

  test('a lock that another process took over is not removed on release', async () => {
    const { path } = await machineWithFile();
    const ours = await lockFile(path);
    await rm(`${path}.lock`, { recursive: true });
    await mkdir(`${path}.lock`);
    await writeFile(join(`${path}.lock`, 'owner.theirs'), '');
    await ours[Symbol.asyncDispose]();
    expect(await readdir(`${path}.lock`)).toEqual(['owner.theirs']);
  });
});
