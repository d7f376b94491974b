import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, isProcessIdentity, type ProcessIdentity } from './system-process.js';

/** Longest pause before a retry after two processes withdrew, in milliseconds. */
const maxWithdrawalMs = 20;

export type LockOutcome =
  | { readonly status: 'ours'; release(): Promise<void> }
  | { readonly status: 'held'; readonly by: ProcessIdentity };

/** Process checks, replaceable in tests. */
interface LockSystem {
  readonly isAlive: (holder: ProcessIdentity) => boolean;
}

/**
 * Acquires the lock of a directory, until it is released or the process `self` ends.
 *
 * A lock is a file `lock.<number>` that names a process. A hard link creates it, so that only one process gets a number.
 * The owner then reads all other locks and withdraws if one names a living process: of two owners the later one sees the
 * earlier. Files of dead processes lock nothing and are removed.
 */
export async function acquireLock(
  directory: string,
  self: ProcessIdentity,
  system: LockSystem = { isAlive },
): Promise<LockOutcome> {
  const draft = join(directory, `draft.${randomUUID()}`);
  await writeFile(draft, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      const before = await readLocks(directory);
      const holder = livingIn(before, system);
      if (holder) return { status: 'held', by: holder };
      const number = 1 + Math.max(0, ...before.map((lock) => lock.number));
      const path = join(directory, `lock.${number}`);
      if (!(await linkNew(draft, path))) continue;
      const others = (await readLocks(directory)).filter((lock) => lock.number !== number);
      if (!livingIn(others, system)) {
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

/** The process that holds the lock of a directory. */
export async function lockHolder(
  directory: string,
  system: LockSystem = { isAlive },
): Promise<ProcessIdentity | undefined> {
  return livingIn(await readLocks(directory), system);
}

/** Lock files whose process is gone. */
export async function staleLocks(directory: string, system: LockSystem = { isAlive }): Promise<readonly string[]> {
  const locks = await readLocks(directory);
  return locks.filter(({ holder }) => holder === undefined || !system.isAlive(holder)).map(({ path }) => path);
}

interface LockFile {
  readonly number: number;
  readonly path: string;
  /** `undefined` for foreign content, which locks nothing. */
  readonly holder: ProcessIdentity | undefined;
}

function livingIn(locks: readonly LockFile[], system: LockSystem): ProcessIdentity | undefined {
  return locks.map(({ holder }) => holder).find((holder) => holder !== undefined && system.isAlive(holder));
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
    return undefined; // released meanwhile, or not a lock file
  }
}

/** @returns False if the number was taken. */
async function linkNew(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
