import { createHash, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Age in milliseconds at which an untouched lock is stale: its process is dead or suspended. */
const STALE_MS = 10_000;
const TOUCH_MS = 2_500;
const POLL_MS = 25;

export interface HeldFile {
  /**
   * False if another process owns the lock by now, such as after 10 seconds of suspension. Check right before the
   * protected work.
   */
  isHeld(): Promise<boolean>;
  /** Removes the file, unless another process owns the lock by now. */
  release(): Promise<void>;
}

/**
 * Acquires the lock file at `path`, which excludes all other processes of this machine until `release`, or until 10
 * seconds after the end of this process.
 *
 * @returns `undefined` when another process has held the lock for `waitMs` milliseconds.
 * @throws An error of the file system.
 */
export async function holdFile(path: string, { waitMs }: { waitMs: number }): Promise<HeldFile | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const handle = await create(path);
    if (handle !== undefined) return keepLock(path, handle);
    if (performance.now() > deadline) return undefined;
    if (!(await removeStale(path))) await delay(POLL_MS * (1 + Math.random()));
  }
}

/** @param handle - Stays open, so that no other file gets its inode number. */
function keepLock(path: string, handle: FileHandle): HeldFile {
  const touching = setInterval(() => {
    const now = new Date();
    handle.utimes(now, now).catch(() => undefined); // the next one may succeed
  }, TOUCH_MS);
  touching.unref();
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

/** @returns Whether the path is free: a stale lock is removed. */
async function removeStale(path: string): Promise<boolean> {
  // `lstat`, because a dangling link blocks the path too.
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (!isStale(found)) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return false; // another process was first, or the folder is read-only
  }
  // Another process acquired the lock between the two calls.
  const isTheirs = !isStale(await lstat(aside));
  if (isTheirs) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return !isTheirs;
}

function isStale({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return Date.now() - mtimeMs >= STALE_MS;
}

/** The first `digits` of a text's SHA-256 in hexadecimal. Not for secrets: a guess can be confirmed. */
export function hexDigest(text: string | Uint8Array, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/**
 * The path from `directory` to `path`: `''` for the directory itself, `undefined` outside of it. Both are absolute;
 * links are not followed.
 */
export function relativeInside(path: string, directory: string): string | undefined {
  const way = relative(directory, path);
  // On Windows the path to another drive is absolute.
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}

/** Resolves links. Returns a path that does not exist unchanged. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** System error code such as `ENOENT`; `undefined` if there is none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/**
 * Replaces a file in one step: readers see the old text or the new. The file keeps its owner. Follows links. The draft beside the file is named `<file>.<UUID>`.
 *
 * @param options.mode - Permissions, less the umask. Default: only its owner may read and write.
 * @param options.fsync - Whether the file must survive a power loss. Default `true`.
 */
export async function replaceFile(path: string, text: string, { fsync = true, mode = 0o600 } = {}): Promise<void> {
  const target = realPath(path);
  const draft = `${target}.${randomUUID()}`;
  try {
    await writeDraft(draft, text, { owner: await stat(target).catch(() => undefined), fsync, mode });
    await renameOver(draft, target);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // renamed, or never written
  }
}

const busyCodes: readonly (string | undefined)[] = ['EPERM', 'EACCES', 'EBUSY'];

interface BusyOptions {
  /** Longest wait for other processes, in milliseconds. Default 2 000. */
  readonly timeoutMs?: number;
  /** Default: that of this process. */
  readonly platform?: string;
}

/** True if Windows refused a change because another process has the file open, or is about to remove it. */
export function isBusy(error: unknown, platform: string = process.platform): boolean {
  return platform === 'win32' && busyCodes.includes(codeOf(error));
}

/** Repeats a change of files that Windows refuses while a process has one of them open, until it is closed. */
export async function untilFree<T>(
  change: () => T | Promise<T>,
  { timeoutMs = 2_000, platform = process.platform }: BusyOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let delayMs = 5; ; delayMs *= 2) {
    try {
      return await change();
    } catch (error) {
      if (!isBusy(error, platform) || performance.now() + delayMs > deadline) throw error;
    }
    await delay(delayMs);
  }
}

interface RenameOptions extends BusyOptions {
  /** Default: `rename` of `node:fs/promises`. */
  readonly move?: (from: string, to: string) => Promise<void>;
}

/** Renames a file and replaces another, as {@link untilFree}. */
export async function renameOver(
  from: string,
  to: string,
  { move = rename, ...options }: RenameOptions = {},
): Promise<void> {
  await untilFree(() => move(from, to), options);
}

async function writeDraft(
  path: string,
  text: string,
  {
    owner,
    fsync,
    mode,
  }: {
    readonly owner: { readonly uid: number; readonly gid: number } | undefined;
    readonly fsync: boolean;
    readonly mode: number;
  },
): Promise<void> {
  await using file = await open(path, 'wx', mode);
  await file.writeFile(text);
  // `sudo` must not take a file away from its user. Only root may do this.
  if (owner !== undefined) await file.chown(owner.uid, owner.gid).catch(() => undefined);
  if (fsync) await file.sync();
}

/** True if there is something at a path, at the end of its links. False if it cannot be examined. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Differs after each write of the file. Says nothing about the content, which may be secret or large. */
export async function fileVersion(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':') : 'missing';
}

/**
 * Sorts names of folders that end with a version, such as `v22.9.0` and `v22.10.0`. The first collator of a process takes
 * 5 ms, so there is none for a single name.
 */
export function highestVersionFirst(names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const { compare } = new Intl.Collator('en', { numeric: true });
  return names.toSorted((one, other) => compare(other, one));
}
