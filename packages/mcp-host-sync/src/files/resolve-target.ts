import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { HostFileError } from '../host-error.js';
import { currentPlatform, isInside } from '../place/host-place.js';
import { systemCode } from './file-failure.js';
import { notAFile } from './read-host-text.js';

/** Actual file of a path, with links resolved and access checked. */
export interface Target {
  readonly requested: string;
  /** Path without links. Writes go here, so a link stays a link. */
  readonly path: string;
  /** Missing if the file does not exist. */
  readonly stats?: Stats;
}

export interface TargetRules {
  /** Directory that must contain the file. Default: any. */
  readonly inside?: string | undefined;
  /** Further directories that may contain the target of a link. */
  readonly allowedPlaces?: readonly string[] | undefined;
  readonly forWriting: boolean;
}

/**
 * @throws {HostFileError} `broken-link`, `outside-expected-place`, `not-a-file`, `foreign-owner`, `read-only`,
 *   `hard-link`
 */
export async function resolveTarget(requested: string, rules: TargetRules): Promise<Target> {
  const entry = await statOrMissing(lstat, requested);
  if (entry === undefined) {
    const path = await resolveMissing(requested);
    await checkPlace(requested, path, rules);
    return { requested, path };
  }
  const path = await realpath(requested).catch((cause: unknown) => {
    throw brokenLink(requested, cause);
  });
  await checkPlace(requested, path, rules);
  const stats = await stat(path);
  if (!stats.isFile()) throw notAFile(requested);
  if (rules.forWriting) checkWritable(requested, stats);
  return { requested, path, stats };
}

/** Resolves the links of the existing directories of a missing file. */
async function resolveMissing(path: string): Promise<string> {
  const directory = dirname(resolve(path));
  if (directory === resolve(path)) return directory;
  const isThere = (await statOrMissing(lstat, directory)) !== undefined;
  const resolved = isThere
    ? await realpath(directory).catch((cause: unknown) => {
        throw brokenLink(path, cause);
      })
    : await resolveMissing(directory);
  return join(resolved, basename(path));
}

async function checkPlace(requested: string, path: string, { inside, allowedPlaces = [] }: TargetRules): Promise<void> {
  if (inside === undefined) return;
  for (const directory of [inside, ...allowedPlaces]) {
    if (isInside(await realpath(directory).catch(() => resolve(directory)), path, currentPlatform())) return;
  }
  const message = `${requested} leads to ${path}, which is outside ${inside}`;
  const hint = 'add its directory to allowedPlaces if that is intended';
  throw new HostFileError('outside-expected-place', `${message}: ${hint}`, { file: requested });
}

function checkWritable(requested: string, stats: Stats): void {
  const user = process.getuid?.(); // Windows has none
  if (user !== undefined && user !== 0 && stats.uid !== user) {
    const message = `${requested} belongs to another user (id ${stats.uid}). Let that user change it`;
    throw new HostFileError('foreign-owner', message, { file: requested });
  }
  if ((stats.mode & 0o200) === 0) {
    const message = `${requested} is read-only. Make it writable`;
    throw new HostFileError('read-only', message, { file: requested });
  }
  if (stats.nlink > 1) {
    const message = `${requested} has ${stats.nlink} names (hard links), which a replacement would separate. Give the host a separate file or a symbolic link`;
    throw new HostFileError('hard-link', message, { file: requested });
  }
}

function brokenLink(requested: string, cause: unknown): HostFileError {
  const what = systemCode(cause) === 'ELOOP' ? 'is part of a cycle of links' : 'is a link to a missing file';
  return new HostFileError('broken-link', `${requested} ${what}. Remove the link or restore its target`, {
    file: requested,
    cause,
  });
}

async function statOrMissing(read: (path: string) => Promise<Stats>, path: string): Promise<Stats | undefined> {
  return read(path).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    const message = `${path} cannot be examined: ${systemCode(cause) ?? String(cause)}`;
    throw new HostFileError('unreadable-file', message, { file: path, cause });
  });
}
