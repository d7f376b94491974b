import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { isBusy, untilFree } from '@x/internal/files';
import { HostFileError } from '../host-error.js';
import { systemCode } from './file-failure.js';

/** Options of a file lock. */
export interface LockOptions {
  /** Maximum wait in milliseconds, at least 0. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const refreshEveryMs = 3_000;
const pollEveryMs = 25;
const removeTimeoutMs = 2_000;

/**
 * Acquires exclusive access to a file by creating a directory `<file>.lock` with an owner note in one step, as Cline
 * does for its own file. A lock is stale if its process is gone or has not refreshed it for 10 s.
 *
 * @throws {HostFileError} `locked`, or a system error; the signal's reason
 */
export async function lockFile(
  path: string,
  { timeoutMs = 10_000, signal }: LockOptions = {},
): Promise<AsyncDisposable> {
  const directory = `${path}.lock`;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLock(directory);
    if (lock !== undefined) return lock;
    const stale = await findStaleLock(directory);
    if (stale !== undefined) {
      await clearStaleLock(stale);
      continue;
    }
    if (performance.now() >= deadline) throw locked(path, directory);
    await pause(signal);
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await wait(pollEveryMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
}

async function tryLock(directory: string): Promise<AsyncDisposable | undefined> {
  if (await exists(directory)) return undefined;
  const id = `${pid}.${Date.now()}.${randomUUID()}`;
  const staging = `${directory}.tmp.${id}`;
  const note = `owner.${id}`;
  try {
    await mkdir(staging, { mode: 0o700 });
    await writeFile(join(staging, note), JSON.stringify({ pid, host: hostname() }), { mode: 0o600, flag: 'wx' });
    if (!(await takesPlace(staging, directory))) return undefined;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return acquiredLock(directory, note);
}

/** `false`: another process has the lock, or had it until now. */
async function takesPlace(staging: string, directory: string): Promise<boolean> {
  try {
    await rename(staging, directory);
    return true;
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTEMPTY'].includes(systemCode(error) ?? '') || isBusy(error);
    if (isTaken || (await exists(directory))) return false;
    throw error;
  }
}

function acquiredLock(directory: string, note: string): AsyncDisposable {
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(directory, now, now).catch(() => undefined); // the release handles a lost lock
  }, refreshEveryMs);
  refresh.unref(); // a lock must not keep the process alive
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(refresh);
      // A process that took over the lock has replaced the note and keeps the directory.
      const isOurs = await untilFree(() => unlink(join(directory, note))).then(() => true, unlessGone);
      if (isOurs === true) await removeDirectory(directory, note);
    },
  };
}

/** Waits as long as Windows keeps the directory or the removed note for a process that reads it, as waiting ones do. */
async function removeDirectory(directory: string, note: string): Promise<void> {
  const deadline = performance.now() + removeTimeoutMs;
  while (!(await isRemoved(directory, note)) && performance.now() < deadline) await wait(pollEveryMs);
}

/** Also true once another process has the lock. */
async function isRemoved(directory: string, note: string): Promise<boolean> {
  try {
    await rmdir(directory);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    unlessGone(error);
    const names = await readdir(directory).catch(unlessGone);
    return names === undefined || names.some((name) => name !== note);
  }
}

function locked(path: string, directory: string): HostFileError {
  const message = `${path} is in use by another process. If there is no such process, remove ${directory}`;
  return new HostFileError('locked', message, { file: path });
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessGone)) !== undefined;
}

const staleAfterMs = 10_000;

/** An abandoned lock, as it was at the time of detection. */
interface StaleLock {
  readonly path: string;
  readonly isDirectory: boolean;
  /** Names of the files in the lock directory, which are unique per owner. */
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
function unlessGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return undefined;
  if (isBusy(error)) return undefined; // Windows is about to remove it
  throw error;
}
