import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { currentPlatform, isInside } from '../place/host-place.js';
import { type OwnedFile, type Ownership, withFile } from '../sync/ownership.js';
import { writeFailure } from './file-failure.js';
import type { Target } from './resolve-target.js';

/** Creates the directories of a file with mode 0700. Returns the topmost missing one. */
export async function makeDirectory({ requested, path }: Target): Promise<string | undefined> {
  try {
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return made === undefined ? undefined : withoutNamespace(made);
  } catch (error) {
    throw writeFailure(error, requested);
  }
}

/** A path as programs write it. On Windows, `mkdir` resolves to one with the prefix of long paths, `\\?\`. */
export function withoutNamespace(path: string): string {
  return path.replace(/^\\\\\?\\(?:UNC(?=\\)|(?=[A-Za-z]:\\))/, (prefix) => (prefix.endsWith('UNC') ? '\\' : ''));
}

/** Removes empty directories up to `uppermost`. */
export async function removeDirectories(file: string, uppermost: string | undefined): Promise<void> {
  if (uppermost === undefined) return;
  for (let directory = dirname(file); contains(uppermost, directory); directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      return; // not empty
    }
  }
}

/** Transfers a created directory to a remaining file of this package in it, so that it is removed with the last one. */
export function transferDirectory(ownership: Ownership, gone: OwnedFile): Ownership {
  const { createdDirectory } = gone;
  if (createdDirectory === undefined) return ownership;
  const heir = ownership.files.find((file) => isBelow(createdDirectory, gone, file));
  return heir === undefined ? ownership : withFile(ownership, heir.path, { ...heir, createdDirectory });
}

/** True if this package created all directories from `uppermost` down to the file. */
function isBelow(uppermost: string, gone: OwnedFile, file: OwnedFile): boolean {
  if (file.path === gone.path || file.createdFile !== true) return false;
  const parent = dirname(file.createdDirectory ?? file.path);
  return contains(uppermost, parent) && contains(parent, dirname(gone.path));
}

function contains(directory: string, path: string): boolean {
  return isInside(directory, path, currentPlatform());
}
