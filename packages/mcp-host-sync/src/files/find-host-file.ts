import { lstat, readdir, stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { highestVersionFirst } from '@x/internal/files';
import type { HostPath } from '../place/host-paths.js';
import { systemCode } from './file-failure.js';

/** Files of a host. `chosen` is the file to use or create. */
interface FoundFiles {
  readonly chosen: HostPath;
  readonly exists: boolean;
  /** All existing files, `chosen` first if it exists. */
  readonly existing: readonly string[];
}

/** Returns `undefined` if the host has no file. */
export async function findHostFile(paths: readonly HostPath[]): Promise<FoundFiles | undefined> {
  const candidates = (await Promise.all(paths.map(expanded))).flat();
  const isThere = await Promise.all(candidates.map((candidate) => exists(candidate.path)));
  const existing = candidates.filter((_, index) => isThere[index]);
  const chosen =
    candidates.find(({ kind }) => kind === 'newest') ??
    existing[0] ??
    candidates.find(({ kind }) => kind === 'pattern') ??
    paths.find((path) => path.creates);
  if (chosen === undefined) return undefined;
  const isChosenThere = chosen.kind === 'newest' ? existing.includes(chosen) : existing.length > 0;
  return { chosen, exists: isChosenThere, existing: existing.map((candidate) => candidate.path) };
}

/** Expands a pattern to paths whose directories up to the `*` exist, with newer versions first. */
async function expanded(candidate: HostPath): Promise<readonly HostPath[]> {
  if (candidate.kind === 'file') return [candidate];

  const { root } = parse(candidate.path);
  const segments = candidate.path.slice(root.length).split(sep);
  const star = segments.findIndex((segment) => segment.includes('*'));
  const directory = join(root, ...segments.slice(0, star));
  const [before = '', after = ''] = (segments[star] ?? '').split('*');
  const names = await readdir(directory).catch(() => []); // the directory does not exist
  const matching = names.filter(
    (name) => name.startsWith(before) && name.endsWith(after) && name.length >= before.length + after.length,
  );
  const sorted =
    candidate.kind === 'newest'
      ? highestVersionFirst(await versionsOf(matching, directory, before))
      : matching.toSorted();
  return sorted.map((name) => ({ ...candidate, path: join(directory, name, ...segments.slice(star + 1)) }));
}

/** Folders with a version, and no copy such as `AndroidStudio2025.1-backup`. */
async function versionsOf(names: readonly string[], directory: string, before: string): Promise<readonly string[]> {
  const numbered = names.filter((name) => /^\d+(?:\.\d+)*$/.test(name.slice(before.length)));
  const areFolders = await Promise.all(numbered.map((name) => isFolder(join(directory, name))));
  return numbered.filter((_, index) => areFolders[index]);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false, // a broken link
  );
}

/** Broken links count as existing, so that they are reported. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR',
  );
}
