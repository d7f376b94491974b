import {
  chown,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type HeldFile,
  hexDigest,
  highestVersionFirst,
  relativeInside,
  renameOver,
  replaceFile,
  holdFile as tryToHold,
} from '../src/files.js';

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

test('is SHA-256, cut to as many digits as asked for', () => {
  expect(hexDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hexDigest('abc', 16)).toBe('ba7816bf8f01cfea');
  expect(hexDigest(new TextEncoder().encode('abc'), 16)).toBe('ba7816bf8f01cfea');
});

const outer = resolve('/srv/app');

test.each([
  ['a/b.json', join('a', 'b.json')],
  ['a/../b.json', 'b.json'],
  ['..b', '..b'],
  ['.../c', join('...', 'c')],
  ['', ''],
  ['.', ''],
  ['a/..', ''],
])('gives the way to %j below the directory', (path, way) => {
  expect(relativeInside(`${outer}/${path}`, outer)).toBe(way);
  expect(relativeInside(`${outer}/${path}`, `${outer}/`)).toBe(way);
});

test.each(['/srv', '/', '/srv/app-evil', '/srv/app/../app-evil/x', '/srv/ap'])('%j is outside', (path) => {
  expect(relativeInside(resolve(path), outer)).toBeUndefined();
});

test('everything is inside the root', () => {
  const { root } = parse(outer);
  expect(relativeInside(outer, root)).toBe(join('srv', 'app'));
});

test.runIf(process.platform === 'win32')('another drive is outside', () => {
  expect(relativeInside('D:\\app\\x', 'C:\\app')).toBeUndefined();
});

test('a path that is inside is the outer and the way joined', () => {
  const segment = fc.constantFrom('a', '..', '.', '..a', 'app', 'app-evil');
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const path = join(outer, ...segments);
      const way = relativeInside(path, outer);
      if (way === undefined) expect(path === outer || path.startsWith(join(outer, 'a'))).toBe(false);
      else expect(join(outer, way)).toBe(path);
    }),
  );
});

test.each([true, false])(
  'a replaced file has the new text, is private, and leaves no draft (fsync: %s)',
  async (fsync) => {
    await writeFile(path, 'old', { mode: 0o644 });
    await replaceFile(path, 'new', { fsync });
    expect(await readFile(path, 'utf8')).toBe('new');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['pins.lock']);
  },
);

test('a file that cannot be replaced leaves no draft', async () => {
  const occupied = join(directory, 'a-directory', 'inside');
  await mkdir(occupied, { recursive: true });
  await expect(replaceFile(join(directory, 'a-directory'), 'new')).rejects.toThrow();
  await expect(replaceFile(join(directory, 'missing', 'file'), 'new')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(directory)).toEqual(['a-directory']);
});

test.runIf(process.platform !== 'win32')('a link stays, and its target is replaced', async () => {
  await writeFile(path, 'old');
  const link = join(directory, 'link');
  await symlink('pins.lock', link);
  await replaceFile(link, 'new');
  expect(await readlink(link)).toBe('pins.lock');
  expect(await readFile(path, 'utf8')).toBe('new');
});

test('a replaced file keeps its owner, also if root replaces it', async () => {
  await writeFile(path, 'old');
  if (process.getuid?.() === 0) await chown(path, 12_345, 12_345);
  const { uid, gid } = await stat(path);
  await replaceFile(path, 'new');
  expect(await stat(path)).toMatchObject({ uid, gid });
});

test('a file that another process reads is replaced on Windows once it is closed', async () => {
  let refusals = 3;
  const calls: string[] = [];
  const move = async (...paths: string[]): Promise<void> => {
    calls.push(paths.join(' '));
    refusals -= 1;
    if (refusals >= 0) throw Object.assign(new Error('in use'), { code: 'EPERM' });
  };
  await renameOver('draft', 'target', { platform: 'win32', move });
  expect(calls).toEqual(Array(4).fill('draft target'));
});

test.each([
  ['win32', 'ENOSPC', 2_000],
  ['linux', 'EPERM', 2_000],
  ['win32', 'EPERM', 0],
])('on %s a rename that fails with %s is not repeated beyond %d ms', async (platform, code, timeoutMs) => {
  const failure = Object.assign(new Error('refused'), { code });
  let calls = 0;
  const move = async (): Promise<void> => {
    calls += 1;
    throw failure;
  };
  await expect(renameOver('draft', 'target', { platform, move, timeoutMs })).rejects.toBe(failure);
  expect(calls).toBe(1);
});

test('the highest version is first, by numbers and not by digits', () => {
  const names = ['v9.2.0', 'v22.9.0', 'v22.10.0', 'v22.10.1'];
  expect(highestVersionFirst(names)).toEqual(['v22.10.1', 'v22.10.0', 'v22.9.0', 'v9.2.0']);
  expect(names[0]).toBe('v9.2.0');
  expect(highestVersionFirst(['v1'])).toEqual(['v1']);
  expect(highestVersionFirst([])).toEqual([]);
});
