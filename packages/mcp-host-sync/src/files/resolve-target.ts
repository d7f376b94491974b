import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { HostFileError } from '../host-error.js';
import { currentPlatform } from '../place/host-place.js';
import { isInside } from '../place/is-inside.js';
import { systemCode } from './file-failure.js';
import { notAFile } from './read-host-text.js';

/** The file that is really meant by a path, once links are followed and it is clear that it may be touched. */
export interface Target {
  /** As asked for. */
  readonly asked: string;
  /** Without links; what is written to, so that a link stays a link. */
  readonly path: string;
  /** Missing: there is no file yet. */
  readonly stats?: Stats;
}

export interface TargetRules {
  /** The directory that the file has to be in. Left out, it may be anywhere. */
  readonly inside?: string | undefined;
  /** Further directories that links may lead to. */
  readonly allowedPlaces?: readonly string[] | undefined;
  readonly forWriting: boolean;
}

/**
 * @throws {HostFileError} `broken-link`, `outside-expected-place`, `not-a-file`, `foreign-owner`, `read-only`,
 *   `hard-link`
 */
export async function resolveTarget(asked: string, rules: TargetRules): Promise<Target> {
  const entry = await statOrMissing(lstat, asked);
  if (entry === undefined) {
    const path = await resolveMissing(asked);
    await checkPlace(asked, path, rules);
    return { asked, path };
  }
  const path = await realpath(asked).catch((cause: unknown) => {
    throw brokenLink(asked, cause);
  });
  await checkPlace(asked, path, rules);
  const stats = await stat(path);
  if (!stats.isFile()) throw notAFile(asked);
  if (rules.forWriting) checkWritable(asked, stats);
  return { asked, path, stats };
}

/** A path that does not exist, with the links of the directories that do exist followed. */
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

async function checkPlace(asked: string, path: string, { inside, allowedPlaces = [] }: TargetRules): Promise<void> {
  if (inside === undefined) return;
  for (const directory of [inside, ...allowedPlaces]) {
    if (isInside(await realpath(directory).catch(() => resolve(directory)), path, currentPlatform())) return;
  }
  const message = `${asked} leads to ${path}, which is outside ${inside}`;
  const hint = 'name its directory in allowedPlaces if that is meant';
  throw new HostFileError('outside-expected-place', `${message}: ${hint}`, { file: asked });
}

function checkWritable(asked: string, stats: Stats): void {
  const user = getuid?.();
  if (user !== undefined && user !== 0 && stats.uid !== user) {
    const message = `${asked} belongs to another user (id ${stats.uid}): let that user sync it`;
    throw new HostFileError('foreign-owner', message, { file: asked });
  }
  if ((stats.mode & 0o200) === 0) {
    const message = `${asked} is read-only: make it writable first, if it shall be changed`;
    throw new HostFileError('read-only', message, { file: asked });
  }
  if (stats.nlink > 1) {
    const message = `${asked} has ${stats.nlink} names (hard links), which a replacement would set apart: give the host a file of its own, or a symbolic link`;
    throw new HostFileError('hard-link', message, { file: asked });
  }
}

function brokenLink(asked: string, cause: unknown): HostFileError {
  const what = systemCode(cause) === 'ELOOP' ? 'runs in a circle of links' : 'is a link that leads nowhere';
  return new HostFileError('broken-link', `${asked} ${what}: remove the link or restore its target`, {
    file: asked,
    cause,
  });
}

async function statOrMissing(read: (path: string) => Promise<Stats>, path: string): Promise<Stats | undefined> {
  return read(path).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    const message = `${path} cannot be looked at: ${systemCode(cause) ?? String(cause)}`;
    throw new HostFileError('unreadable-file', message, { file: path, cause });
  });
}
