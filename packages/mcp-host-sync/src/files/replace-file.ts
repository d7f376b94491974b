import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, renameSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hexDigest, untilFree } from '@x/internal/files';
import { HostFileError } from '../host-error.js';
import { systemCode, writeFailure } from './file-failure.js';
import type { Target } from './resolve-target.js';

/** Steps of a replacement. A crash between them leaves a complete file. */
export type ReplaceStep = 'write-temporary' | 'compare' | 'replace' | 'settle';

interface ReplaceOptions {
  /** SHA-256 of the expected previous content; `undefined`: no file. */
  readonly before: string | undefined;
  /** Permissions of a new file, less the umask. Default 0600. */
  readonly mode?: number | undefined;
  readonly onStep?: ((step: ReplaceStep) => void | Promise<void>) | undefined;
  /** Writes the bytes to the temporary file. For tests. */
  readonly write?: ((file: FileHandle, bytes: Uint8Array) => Promise<void>) | undefined;
}

/**
 * Replaces a file in one step: readers see the old or the new content. Keeps mode and owner and writes through links. A
 * new file has mode 0600.
 *
 * @throws {HostFileError} `changed-since-plan`, `no-space`, `read-only`, `foreign-owner`, `write-failed`
 */
export async function replaceFile(target: Target, bytes: Uint8Array, options: ReplaceOptions): Promise<void> {
  const { onStep, mode, write = (file, content) => file.writeFile(content) } = options;
  const temporary = join(dirname(target.path), temporaryName(basename(target.path)));
  try {
    await onStep?.('write-temporary');
    await writeTemporary(temporary, bytes, target, { write, mode });
    await onStep?.('compare');
    await onStep?.('replace');
    await ifUnchanged(target, options.before, () => renameSync(temporary, target.path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await onStep?.('settle');
  await syncDirectory(dirname(target.path));
}

/** Deletes a file that was created here and is now empty. @throws {HostFileError} as {@link replaceFile} */
export async function deleteFile(target: Target, { before, onStep }: ReplaceOptions): Promise<void> {
  await onStep?.('compare');
  await onStep?.('replace');
  await ifUnchanged(target, before, () => unlinkSync(target.path));
  await onStep?.('settle');
  await syncDirectory(dirname(target.path));
}

/** Removes temporary files of killed processes. The caller must hold the file's lock. */
export async function removeLeftovers(path: string): Promise<void> {
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => []);
  const start = `.${basename(path)}.`;
  const isLeftover = (name: string) =>
    name.startsWith(start) && /^[0-9a-f]{16}\.mcpx-tmp$/.test(name.slice(start.length));
  await Promise.all(names.filter(isLeftover).map((name) => rm(join(directory, name), { force: true })));
}

function temporaryName(name: string): string {
  return `.${name}.${randomBytes(8).toString('hex')}.mcpx-tmp`;
}

interface TemporaryOptions extends Pick<ReplaceOptions, 'mode'> {
  readonly write: NonNullable<ReplaceOptions['write']>;
}

async function writeTemporary(
  path: string,
  bytes: Uint8Array,
  target: Target,
  options: TemporaryOptions,
): Promise<void> {
  try {
    await fillTemporary(path, bytes, target, options);
  } catch (error) {
    throw writeFailure(error, target.requested);
  }
}

async function fillTemporary(
  path: string,
  bytes: Uint8Array,
  { requested, stats }: Target,
  { write, mode = 0o600 }: TemporaryOptions,
): Promise<void> {
  await using file = await open(path, 'wx', stats === undefined ? mode : 0o600);
  await write(file, bytes);
  if (stats !== undefined) {
    const { uid, gid } = await file.stat();
    if (uid !== stats.uid || gid !== stats.gid) {
      await file.chown(stats.uid, stats.gid).catch((cause: unknown) => {
        const message = `${requested} belongs to user ${stats.uid} and group ${stats.gid}; a new file cannot get that owner`;
        throw new HostFileError('foreign-owner', message, { file: requested, cause });
      });
    }
    await file.chmod(stats.mode & 0o7777); // last, because a change of owner clears some bits
  }
  await file.sync();
}

/** Compares and replaces synchronously, to keep the time between the two short. */
async function ifUnchanged(target: Target, before: string | undefined, act: () => void): Promise<void> {
  try {
    await untilFree(() => {
      assertUnchanged(target, before);
      act();
    });
  } catch (error) {
    throw writeFailure(error, target.requested);
  }
}

function assertUnchanged({ requested, path, stats }: Target, before: string | undefined): void {
  if (hashNow(requested, path) === before && sameFile(path, stats)) return;
  const message = `Another program changed ${requested} after the plan was made. Plan again`;
  throw new HostFileError('changed-since-plan', message, { file: requested });
}

/** Hash of the present file. Another target or kind of file counts as changed. */
function hashNow(requested: string, path: string): string | undefined {
  try {
    if (realpathSync.native(requested) !== path) return 'elsewhere';
    return lstatSync(path).isFile() ? hexDigest(readFileSync(path)) : 'no file';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function sameFile(path: string, stats: Target['stats']): boolean {
  if (stats === undefined) return true;
  const { ino, dev } = lstatSync(path);
  return ino === stats.ino && dev === stats.dev;
}

/** Makes the new name survive a power failure, if the system supports it. */
async function syncDirectory(path: string): Promise<void> {
  try {
    await using directory = await open(path);
    await directory.sync();
  } catch {
    // Windows cannot open directories and some file systems cannot sync them.
  }
}
