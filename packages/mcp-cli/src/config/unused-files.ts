import { basename, join, relative, resolve } from 'node:path';
import { serverFiles, toolsFiles } from '@x/internal/config-files';
import type { Io } from '../command.js';
import { printNote } from '../output/fit.js';
import { printable } from '../output/print.js';
import { configNames } from './config-names.js';
import { hasOwnRules, projectRootOf, searchedDirectory, statsOf } from './find-project.js';

/**
 * Files that a search would use with those that `--config` names, although no word names them: rules beside servers, and
 * servers beside rules.
 */
export function unusedFiles(words: readonly string[] | undefined, { cwd }: Pick<Io, 'cwd'>): readonly string[] {
  const { files } = configNames(words);
  const named = files.map((file) => resolve(cwd, file));
  const isWhole = searchedDirectory(files, cwd) !== undefined || named.some((path) => statsOf(path)?.isDirectory());
  if (isWhole) return [];
  const beside = (names: readonly string[]): readonly string[] =>
    [...new Set(named.map(projectRootOf))].flatMap((root) => names.map((name) => join(root, name)));
  const rules = named.some(hasOwnRules) ? [] : beside(toolsFiles).filter(hasOwnRules);
  const hasOnlyRules = named.every((path) => toolsFiles.includes(basename(path)));
  const servers = hasOnlyRules ? beside(serverFiles).filter((path) => statsOf(path)?.isFile()) : [];
  return [...rules.slice(0, 1), ...servers.slice(0, 1)];
}

/** Prints a warning for each of them on stderr. */
export function noteUnusedFiles(words: readonly string[] | undefined, io: Pick<Io, 'cwd' | 'stderr'>): void {
  for (const path of unusedFiles(words, io)) {
    const shown = printable(relative(io.cwd, path));
    printNote(`warning: ${shown} is not used, because --config names another file. To use both, add -c ${shown}`, io);
  }
}
