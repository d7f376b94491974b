import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readHostText } from './read-host-text.js';

/**
 * Root of the git repository that contains a directory, with links resolved; for a linked worktree, that of its main
 * worktree. Without a repository: the directory.
 */
export async function repositoryRoot(directory: string): Promise<string> {
  const start = await realpath(directory).catch(() => resolve(directory)); // it may not exist
  const root = await nearestRoot(start);
  return (root === undefined ? start : await mainRoot(root)).normalize('NFC');
}

async function nearestRoot(directory: string): Promise<string | undefined> {
  const found = await stat(join(directory, '.git')).catch(() => undefined);
  if (found !== undefined && (found.isDirectory() || found.isFile())) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearestRoot(parent);
}

/** Of a worktree that its repository confirms: text alone could name any other repository. */
async function mainRoot(root: string): Promise<string> {
  const dotGit = join(root, '.git');
  const own = /^gitdir:(.*)$/s.exec((await lineOf(dotGit)) ?? '')?.[1]?.trim();
  if (!own) return root;
  const folder = resolve(root, own);
  const [common, back] = await Promise.all([lineOf(join(folder, 'commondir')), lineOf(join(folder, 'gitdir'))]);
  if (!common || !back) return root; // a submodule, or a folder that is kept elsewhere
  const shared = resolve(folder, common);
  if (dirname(folder) !== join(shared, 'worktrees')) return root;
  const named = await realpath(resolve(folder, back)).catch(() => undefined);
  if (named !== dotGit) return root;
  if (basename(shared) === '.git') return dirname(shared);
  return (await nearestRoot(shared)) === shared ? root : shared; // of a bare repository
}

async function lineOf(path: string): Promise<string | undefined> {
  const text = await readHostText(path).catch(() => undefined); // a directory, or no text: as if it were missing
  return text?.trim();
}
