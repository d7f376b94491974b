import { lstat, readdir, readFile, rm, rmdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { systemCode } from './file-failure.js';

const staleAfterMs = 10_000;

/** A lock that nobody holds any more, as it was when that was found out. */
export interface StaleLock {
  readonly path: string;
  readonly isDirectory: boolean;
  /** What its owner has left in it. Notes have names of their own, so that a later owner has other ones. */
  readonly notes: readonly string[];
}

/** The lock if its process is gone, or has not touched it for a while. */
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

/**
 * Takes away what was found and nothing else: another process may have done so meanwhile and have the lock by now, and
 * then it has a note of its own in there, with which the directory cannot be removed.
 */
export async function clearStaleLock({ path, isDirectory, notes }: StaleLock): Promise<void> {
  await Promise.all(notes.map((note) => rm(join(path, note), { recursive: true, force: true })));
  await (isDirectory ? rmdir : unlink)(path).catch(unlessGone);
}

/** Only told for notes of ours from this machine; what another program writes is not known to be a process id. */
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

/** Nothing where a lock has been removed, or belongs to somebody else by now. */
export function unlessGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return undefined;
  throw error;
}
