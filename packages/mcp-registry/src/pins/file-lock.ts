import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '../errors.js';

/** A lock that was not touched for so long belongs to a process that is gone, in milliseconds. */
const STALE_MS = 10_000;
const TOUCH_MS = 2_500;
const POLL_MS = 25;

/**
 * Takes the lock file at `path`, which keeps out whoever else does, in whatever process of this machine, until the
 * result is called. A process that ends without that loses the lock after 10 seconds.
 *
 * @throws {RegistryError} `pin-store-failed`: somebody else held it for `waitMs`.
 */
export async function holdFile(path: string, { waitMs }: { waitMs: number }): Promise<() => Promise<void>> {
  const deadline = performance.now() + waitMs;
  while (!(await create(path))) {
    if (await takeAway(path)) continue;
    if (performance.now() > deadline) {
      throw new RegistryError(
        'pin-store-failed',
        `${path} was held by another process for ${waitMs} milliseconds. Try again; if no other process uses the ` +
          'pins, remove that file',
      );
    }
    await delay(POLL_MS * (1 + Math.random()));
  }
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined); // it was taken away: this process was asleep for too long
  }, TOUCH_MS);
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
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns Whether the lock is gone. Of several who find it stale, one takes it away. */
async function takeAway(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (Date.now() - found.mtimeMs < STALE_MS) return false;
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
