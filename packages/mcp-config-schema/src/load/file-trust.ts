import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfigIssue } from '../issues.js';
import type { FoundFile } from './find-files.js';
import { cannotLookAt } from './kind-of.js';

/** Who could have put a file where it was found. Numbers are those of POSIX. */
export interface FileOrigin {
  /** Of the file itself and of the link that led to it, if one did. */
  readonly owners: readonly number[];
  /** Modes of the directory that was looked in, and of each one between it and the file. */
  readonly directoryModes: readonly number[];
}

/**
 * Whether somebody else could have planted the file: it belongs neither to the user nor to root, and everybody may
 * write where it was found. Looking upward from a directory would otherwise run what a stranger left in `/tmp`.
 */
export function isPlanted({ owners, directoryModes }: FileOrigin, user: number): boolean {
  const isStrange = owners.some((owner) => owner !== user && owner !== 0);
  return isStrange && directoryModes.some((mode) => (mode & 0o002) !== 0);
}

/**
 * What is to be said of a file that was found and must not be read; `undefined` for all others.
 *
 * @throws {ConfigError} `unreadable`: it went away since it was read.
 */
export async function refusalOf(
  { path, layer, foundIn }: FoundFile,
  owner: number,
  shown: string,
): Promise<ConfigIssue | undefined> {
  const user = process.getuid?.();
  if (user === undefined || layer === 'explicit') return undefined; // Windows; or the path was given by the user
  const lookups = [lstat(path), ...directoriesBetween(path, foundIn).map((directory) => stat(directory))] as const;
  const [link, ...directories] = await Promise.all(lookups).catch((cause: unknown) => {
    throw cannotLookAt(path, cause);
  });
  const directoryModes = directories.map(({ mode }) => mode);
  return isPlanted({ owners: [owner, link.uid], directoryModes }, user) ? untrusted(shown) : undefined;
}

function directoriesBetween(path: string, foundIn: string): readonly string[] {
  const directory = dirname(path);
  return directory === foundIn ? [directory] : [directory, foundIn];
}

function untrusted(file: string): ConfigIssue {
  return {
    code: 'untrusted-file',
    severity: 'error',
    message: 'The file belongs to another user and lies where everybody may write, so it is not read',
    hint: 'make yourself its owner if you trust it, or name it: then it is read as it is',
    file,
    line: 1,
    column: 1,
    path: [],
  };
}
