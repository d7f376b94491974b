import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm, rmdir, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { HostFileError } from '../host-error.js';
import { systemCode } from './file-failure.js';
import { clearStaleLock, findStaleLock, unlessGone } from './stale-lock.js';

/** How long to wait while another process has the file to itself. */
export interface LockOptions {
  /** Longest wait for another process, in milliseconds, 0 or more. Default 10 000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const refreshEveryMs = 3_000;
const pollEveryMs = 25;

/**
 * Keeps a file to one process at a time: a directory `<file>.lock` with a note of its owner in it, moved into place
 * in one step. This is what Cline does with its own file, so that it and we wait for each other. An empty directory
 * of that name is respected, too. A lock is taken over when its process is gone or has not touched it for 10 s.
 *
 * @throws {HostFileError} `locked`, or what the system says when no lock can be made; the signal's reason
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
    await rename(staging, directory);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    const isTaken = ['EEXIST', 'ENOTEMPTY'].includes(systemCode(error) ?? '') || (await exists(directory));
    if (isTaken) return undefined;
    throw error;
  }
  return heldLock(directory, join(directory, note));
}

function heldLock(directory: string, note: string): AsyncDisposable {
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(directory, now, now).catch(() => undefined); // taken over meanwhile, which the release copes with
  }, refreshEveryMs);
  refresh.unref(); // a lock is no reason to stay alive
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(refresh);
      // Whoever took the lock over has taken our note out and put in their own, and keeps it.
      const isOurs = await unlink(note).then(() => true, unlessGone);
      if (isOurs === true) await rmdir(directory).catch(unlessGone);
    },
  };
}

function locked(path: string, directory: string): HostFileError {
  const message = `${path} is in use by another process; if there is none, remove ${directory}`;
  return new HostFileError('locked', message, { file: path });
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessGone)) !== undefined;
}
