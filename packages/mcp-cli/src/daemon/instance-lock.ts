import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, isProcessIdentity, type ProcessIdentity } from './system-process.js';

/** Longest wait before looking again when two have seen one another, in milliseconds. */
const maxWithdrawalMs = 20;

export type LockOutcome =
  | { readonly status: 'ours'; release(): Promise<void> }
  | { readonly status: 'held'; readonly by: ProcessIdentity };

/** What a lock asks of the system, so that a test can say who lives. */
export interface LockWorld {
  readonly isAlive: (holder: ProcessIdentity) => boolean;
}

/**
 * Takes the lock of a directory for the process `self`, which holds it until it gives it back or ends, however it ends.
 *
 * A lock is a file `lock.<number>` that names a process. It comes into being as a whole, by a link, so of those who want
 * the same number one gets it. Whoever has a number looks once more at all others, and gives it back when one of them
 * names a living process: of two who hold different numbers the later one sees the earlier one's, so no two can both stay. A
 * file whose process is gone is taken away, which can only ever take away what counts for nothing.
 */
export async function takeLock(
  directory: string,
  self: ProcessIdentity,
  world: LockWorld = { isAlive },
): Promise<LockOutcome> {
  const draft = join(directory, `draft.${randomUUID()}`);
  await writeFile(draft, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      const before = await readLocks(directory);
      const holder = livingIn(before, world);
      if (holder) return { status: 'held', by: holder };
      const number = 1 + Math.max(0, ...before.map((lock) => lock.number));
      const path = join(directory, `lock.${number}`);
      if (!(await linkNew(draft, path))) continue;
      const others = (await readLocks(directory)).filter((lock) => lock.number !== number);
      if (!livingIn(others, world)) {
        await Promise.all(others.map((lock) => rm(lock.path, { force: true })));
        return { status: 'ours', release: () => rm(path, { force: true }) };
      }
      await rm(path, { force: true });
      await pause(Math.random() * maxWithdrawalMs);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Who holds the lock of a directory now. */
export async function lockHolder(
  directory: string,
  world: LockWorld = { isAlive },
): Promise<ProcessIdentity | undefined> {
  return livingIn(await readLocks(directory), world);
}

/** Files of a directory that look like its lock and keep nobody out, since whoever made them is gone. */
export async function staleLocks(directory: string, world: LockWorld = { isAlive }): Promise<readonly string[]> {
  const locks = await readLocks(directory);
  return locks.filter(({ holder }) => holder === undefined || !world.isAlive(holder)).map(({ path }) => path);
}

interface LockFile {
  readonly number: number;
  readonly path: string;
  /** `undefined`: it says nothing that we would have written, so nobody holds it. */
  readonly holder: ProcessIdentity | undefined;
}

function livingIn(locks: readonly LockFile[], world: LockWorld): ProcessIdentity | undefined {
  return locks.map(({ holder }) => holder).find((holder) => holder !== undefined && world.isAlive(holder));
}

async function readLocks(directory: string): Promise<readonly LockFile[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const numbered = names.flatMap((name) => {
    const number = /^lock\.([1-9]\d{0,8})$/.exec(name)?.[1];
    return number === undefined ? [] : [{ number: Number(number), path: join(directory, name) }];
  });
  return Promise.all(numbered.map(async (lock) => ({ ...lock, holder: await readHolder(lock.path) })));
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isProcessIdentity(value) ? value : undefined;
  } catch {
    return undefined; // given back meanwhile, or not ours
  }
}

/** @returns Whether the number was still free. */
async function linkNew(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
