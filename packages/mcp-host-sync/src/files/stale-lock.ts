import { lstat, readdir, readFile, rm, rmdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { systemCode } from './file-failure.js';

const staleAfterMs = 10_000;

/** An abandoned lock, as it was at the time of detection. */
export interface StaleLock {
  readonly path: string;
  readonly isDirectory: boolean;
  /** Names of the files in it, which are unique per owner. */
  readonly notes: readonly string[];
}

/** Returns the lock if its process is gone or has not refreshed it for 10 s. */
export async function findStaleLock(path: string): Promise<StaleLock | undefined> {
  const stats = await lstat(path).catch(unlessGone);
  if (stats === undefined) return undefined;
  const isDirectory = stats.isDirectory();
  const notes = isDirectory ? ((await readdir(path).catch(unlessGone)) ?? []) : [];
  const lock: StaleLock = { path, isDirectory, notes };
  if (Date.now() - stats.mtimeMs >= staleAfterMs) return lock;

  const owner = notes.find((name) => name.startsWith('owner.'));
  if (owner === undefined) return undefined;
  const text = await readFile(join(path, owner), 'utf8').catch(() => '');
  return isOfDeadProcess(text) ? lock : undefined;
}

/** Removes only the files that were found: a note of a new owner keeps the directory. */
export async function clearStaleLock({ path, isDirectory, notes }: StaleLock): Promise<void> {
  await Promise.all(notes.map((note) => rm(join(path, note), { recursive: true, force: true })));
  await (isDirectory ? rmdir : unlink)(path).catch(unlessGone);
}

/** True only for notes that this package wrote on this machine. */
function isOfDeadProcess(note: string): boolean {
  const [, id, host] = /^\{"pid":(\d+),"host":"([^"]*)"\}$/.exec(note) ?? [];
  if (id === undefined || host !== hostname()) return false;
  try {
    kill(Number(id), 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

/** Ignores errors for a lock that another process removed or acquired. */
export function unlessGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return undefined;
  throw error;
}
