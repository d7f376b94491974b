import { randomUUID } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '../errors.js';

/** A lock that was not touched for so long belongs to a process that is gone, in milliseconds. */
const STALE_MS = 10_000;
const TOUCH_MS = 2_500;
const POLL_MS = 25;

/** A lock file that is ours, as long as this process is awake. */
export interface HeldFile {
  /** Whether it still is: who sleeps for too long loses it. To be asked right before what it is held for. */
  isHeld(): Promise<boolean>;
  /** Lets others have it, and leaves alone what somebody else has taken by now. */
  release(): Promise<void>;
}

/**
 * Takes the lock file at `path`, which keeps out whoever else does, in whatever process of this machine, until it is
 * released. A process that ends without that loses the lock after 10 seconds.
 *
 * @throws {RegistryError} `pin-store-failed`: somebody else held it for `waitMs`.
 */
export async function holdFile(path: string, { waitMs }: { waitMs: number }): Promise<HeldFile> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const handle = await create(path);
    if (handle !== undefined) return hold(path, handle);
    if (performance.now() > deadline) throw heldTooLong(path, waitMs);
    if (!(await takeAway(path))) await delay(POLL_MS * (1 + Math.random()));
  }
}

/** @param handle - Stays open, so that no other file can have the number of this one. */
function hold(path: string, handle: FileHandle): HeldFile {
  const touching = setInterval(() => {
    const now = new Date();
    handle.utimes(now, now).catch(() => undefined); // the next one may succeed
  }, TOUCH_MS);
  touching.unref(); // a process that ends has no use for it
  const isHeld = async () => {
    const [own, there] = await Promise.all([handle.stat(), lstat(path).catch(() => undefined)]);
    return there?.ino === own.ino && there.dev === own.dev;
  };
  return {
    isHeld,
    async release() {
      clearInterval(touching);
      const isOurs = await isHeld().finally(() => handle.close());
      if (isOurs) await rm(path, { force: true });
    },
  };
}

async function create(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  }
}

/** @returns Whether the lock is gone. Of several who find it stale, one takes it away. */
async function takeAway(path: string): Promise<boolean> {
  // What stands there itself: a link that leads nowhere is in the way as well.
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (!isStale(found)) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return false; // somebody else was first, or this process may not: the next look tells
  }
  // Somebody else may have been first, and have taken the lock since: then it is theirs.
  const isTheirs = !isStale(await lstat(aside));
  if (isTheirs) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return !isTheirs;
}

function isStale({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return Date.now() - mtimeMs >= STALE_MS;
}

function heldTooLong(path: string, waitMs: number): RegistryError {
  return new RegistryError(
    'pin-store-failed',
    `${path} was held by another process for ${waitMs} milliseconds. Try again; if no other process uses the ` +
      'pins, remove that file',
  );
}
