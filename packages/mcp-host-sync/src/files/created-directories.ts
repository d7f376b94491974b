import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { currentPlatform } from '../place/host-place.js';
import { isInside } from '../place/is-inside.js';
import { type OwnedFile, type Ownership, withFile } from '../sync/ownership.js';
import { writeFailure } from './file-failure.js';
import type { Target } from './resolve-target.js';

/** Makes the directories of a file, readable for their user alone. Gives the uppermost that was missing, if any. */
export async function makeDirectory({ asked, path }: Target): Promise<string | undefined> {
  try {
    return await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(error, asked);
  }
}

/** Removes the directory of a file and those above it, up to one that was made for it, as far as they are empty. */
export async function removeDirectories(file: string, uppermost: string | undefined): Promise<void> {
  if (uppermost === undefined) return;
  for (let directory = dirname(file); contains(uppermost, directory); directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      return; // somebody keeps something in it
    }
  }
}

/**
 * A directory that was made for one file may hold others of ours, which then has to go with the last of them: whatever
 * was made for a file that is forgotten becomes what was made for another one in it.
 */
export function handOnDirectory(ownership: Ownership, gone: OwnedFile): Ownership {
  const { createdDirectory } = gone;
  if (createdDirectory === undefined) return ownership;
  const heir = ownership.files.find((file) => isBelow(createdDirectory, gone, file));
  return heir === undefined ? ownership : withFile(ownership, heir.path, { ...heir, createdDirectory });
}

/** Whether all directories from the one that was made down to a file were made here. */
function isBelow(uppermost: string, gone: OwnedFile, file: OwnedFile): boolean {
  if (file.path === gone.path || file.createdFile !== true) return false;
  const parent = dirname(file.createdDirectory ?? file.path);
  return contains(uppermost, parent) && contains(parent, dirname(gone.path));
}

function contains(directory: string, path: string): boolean {
  return isInside(directory, path, currentPlatform());
}
