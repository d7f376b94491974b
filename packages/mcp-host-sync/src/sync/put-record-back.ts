import type { LockOptions } from '../files/file-lock.js';
import { lockState } from '../files/lock-state.js';
import { readOwnership, writeOwnership } from '../files/ownership-file.js';
import { type OwnedFile, ownedFile, sameRecord, withFile } from './ownership.js';

/** Record of a file's entries before and after a sync. `undefined`: there is none. */
export interface RecordChange {
  readonly file: string;
  readonly before: OwnedFile | undefined;
  readonly after: OwnedFile | undefined;
}

/**
 * Restores the record that a sync replaced, once the file has its earlier content again.
 *
 * @returns `false` if a later sync has changed the record, which then stays.
 * @throws {HostFileError} `locked`, `invalid-state`, `no-space`, `read-only`, `write-failed`
 */
export async function putRecordBack(
  { file, before, after }: RecordChange,
  { stateDirectory, ...lock }: LockOptions & { readonly stateDirectory: string },
): Promise<boolean> {
  await using _lock = await lockState(stateDirectory, lock);
  const ownership = await readOwnership({ stateDirectory });
  if (!sameRecord(ownedFile(ownership, file), after)) return false;
  await writeOwnership(stateDirectory, withFile(ownership, file, before));
  return true;
}
