import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { HostFileError } from '../host-error.js';
import { systemCode } from './file-failure.js';

export interface LockOptions {
  /** Longest wait for another process. Default 10 000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const staleAfterMs = 10_000;
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
    if (await takeAwayStale(directory)) continue;
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
      // Whoever took the lock over has put a note of their own into it, and keeps it.
      await unlink(note).catch(ignoreMissing);
      await rmdir(directory).catch(ignoreMissing);
    },
  };
}

/** Moved aside before it is deleted: of two processes that find it stale, one succeeds, and no fresh lock is lost. */
async function takeAwayStale(directory: string): Promise<boolean> {
  if (!(await isStale(directory))) return false;
  const aside = `${directory}.stale.${randomUUID()}`;
  await rename(directory, aside).catch(ignoreMissing);
  await rm(aside, { recursive: true, force: true });
  return true;
}

async function isStale(directory: string): Promise<boolean> {
  const stats = await lstat(directory).catch(ignoreMissing);
  if (stats === undefined) return false;
  if (Date.now() - stats.mtimeMs >= staleAfterMs) return true;

  const notes = await readdir(directory).catch(() => []);
  const owner = notes.find((name) => name.startsWith('owner.'));
  if (owner === undefined) return false;
  const text = await readFile(join(directory, owner), 'utf8').catch(() => '');
  return isOfDeadProcess(text);
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

function locked(path: string, directory: string): HostFileError {
  const message = `${path} is in use by another process; if there is none, remove ${directory}`;
  return new HostFileError('locked', message, { file: path });
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing)) !== undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return undefined;
  throw error;
}
