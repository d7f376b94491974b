import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat, utimes } from 'node:fs/promises';
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
  while (!(await create(path))) {
    if (performance.now() > deadline) throw new SignInError(`${path} is held by another process`);
    if (!(await takeAway(path))) await pause();
  }
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined); // it was taken away: this process was asleep for too long
  }, touchMs);
  touching.unref(); // a process that ends has no use for it
  return async () => {
    clearInterval(touching);
    await rm(path, { force: true });
  };
}

async function create(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns Whether the lock is gone. Of several who find it stale, one takes it away. */
async function takeAway(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return true;
  if (Date.now() - found.mtimeMs < staleMs) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return true; // somebody else was first
  }
  // Somebody else may have been first, and have taken the lock since: then it is theirs.
  const isNew = (await stat(aside)).ino !== found.ino;
  if (isNew) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return !isNew;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, pollMs * (1 + Math.random()));
  });
}
