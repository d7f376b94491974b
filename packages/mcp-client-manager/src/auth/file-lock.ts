import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { SignInError } from './sign-in-error.js';

/** A lock that was not touched for so long belongs to a process that is gone, in milliseconds. */
const staleMs = 10_000;
const touchMs = 2_500;
const pollMs = 25;

/**
 * Takes the lock file at `path`, which keeps out whoever else does, in whatever process of this machine, until the
 * result is called. A process that ends without that loses the lock after 10 seconds.
 *
 * @throws {SignInError} Somebody else held it for `waitMs`.
 */
export async function holdFile(path: string, { waitMs }: { waitMs: number }): Promise<() => Promise<void>> {
  const deadline = performance.now() + waitMs;
  let handle = await create(path);
  while (!handle) {
    if (performance.now() > deadline) throw new SignInError(`${path} is held by another process`);
    if (!(await takeAway(path))) await pause();
    handle = await create(path);
  }
  return hold(path, handle);
}

/** @param handle - Stays open, so that no other file can have the number of this one. */
function hold(path: string, handle: FileHandle): () => Promise<void> {
  const touching = setInterval(() => {
    const now = new Date();
    handle.utimes(now, now).catch(() => undefined); // the next one may succeed
  }, touchMs);
  touching.unref(); // a process that ends has no use for it
  return async () => {
    clearInterval(touching);
    // A process that was asleep for too long has lost the lock, and must leave alone who has it now.
    const isOurs = await isSameFile(path, handle).finally(() => handle.close());
    if (isOurs) await rm(path, { force: true });
  };
}

async function isSameFile(path: string, handle: FileHandle): Promise<boolean> {
  const [own, there] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
  return there?.ino === own.ino && there.dev === own.dev;
}

async function create(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** @returns Whether the lock is gone. Of several who find it stale, one takes it away. */
async function takeAway(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return true;
  if (!isStale(found)) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return true; // somebody else was first
  }
  // Somebody else may have been first, and have taken the lock since: then it is theirs.
  const isTheirs = !isStale(await stat(aside));
  if (isTheirs) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return !isTheirs;
}

function isStale({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return Date.now() - mtimeMs >= staleMs;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, pollMs * (1 + Math.random()));
  });
}
