/** Owners and modes of a file and its directories, as POSIX numbers. */
export interface FileOrigin {
  /** Includes the link to the file, if any. */
  readonly owners: readonly number[];
  /** Modes of the searched directory and of each directory between it and the file. */
  readonly directoryModes: readonly number[];
}

/**
 * True if another user can have planted the file: its owner is neither the user nor root, and a directory is
 * world-writable. Otherwise the upward search would start programs from `/tmp`.
 */
export function isPlanted({ owners, directoryModes }: FileOrigin, user: number): boolean {
  const isStrange = owners.some((owner) => owner !== user && owner !== 0);
  return isStrange && directoryModes.some((mode) => (mode & 0o002) !== 0);
}
