import { hexDigest } from '@x/internal/files';
import { HostFileError } from '../host-error.js';
import { makeDirectory } from './created-directories.js';
import { writeFailure } from './file-failure.js';
import { type LockOptions, lockFile } from './file-lock.js';
import { readHostBytes } from './read-host-text.js';
import { deleteFile, removeLeftovers, replaceFile } from './replace-file.js';
import { resolveTarget, type Target } from './resolve-target.js';

/** Content of a file before and after a change. `undefined`: there is no file. */
export interface TextChange {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Options of `writeText`. */
export interface WriteTextOptions extends LockOptions {
  /** Permissions of a new file, less the umask. Default 0600. */
  readonly mode?: number | undefined;
}

/**
 * Replaces, creates or deletes a file in one step, if it still has the content `before`. Keeps mode and owner, writes
 * through links, and excludes other processes of this package.
 *
 * @throws {HostFileError} `changed-since-plan`, `locked`, `no-space`, `read-only`, `not-a-file`, `broken-link`,
 *   `hard-link`, `foreign-owner`, `write-failed`
 */
export async function writeText(
  { file, before, after }: TextChange,
  { mode, ...lock }: WriteTextOptions = {},
): Promise<'created' | 'changed' | 'deleted' | 'unchanged'> {
  if (before === after) return 'unchanged';
  const found = await resolveTarget(file, { forWriting: true });
  if (after !== undefined) await makeDirectory(found);
  await using _lock = await lockFile(found.path, lock).catch((error: unknown) => {
    throw lock.signal?.aborted ? error : writeFailure(error, file);
  });
  await removeLeftovers(found.path);
  const target = await resolveTarget(file, { forWriting: true });
  const hash = before === undefined ? undefined : hexDigest(before);
  await assertContent(target, hash);
  if (after === undefined) await deleteFile(target, { before: hash });
  else await replaceFile(target, Buffer.from(after), { before: hash, mode });
  if (after === undefined) return 'deleted';
  return before === undefined ? 'created' : 'changed';
}

async function assertContent({ requested, path }: Target, hash: string | undefined): Promise<void> {
  const bytes = await readHostBytes(path);
  if ((bytes && hexDigest(bytes)) === hash) return;
  const message = `Another program changed ${requested} after it was read. Try again`;
  throw new HostFileError('changed-since-plan', message, { file: requested });
}
