import { posix, win32 } from 'node:path';

interface CommandQuery {
  readonly command: string;
  readonly directory: string;
  readonly path: string;
  readonly pathExtensions?: string | undefined;
  readonly platform: NodeJS.Platform;
}

export type ClassifyFile = (file: string) => 'executable' | 'file' | 'nothing';

type FoundCommand =
  | { readonly status: 'found'; readonly file: string }
  | { readonly status: 'command-not-executable'; readonly file: string }
  | { readonly status: 'command-not-found' };

/**
 * The first executable on PATH, on Windows the first file with a startable extension of PATHEXT. A file without
 * permission, or on Windows with another extension, only if there is no other.
 */
export function findCommand(query: CommandQuery, classify: ClassifyFile): FoundCommand {
  let unusable: string | undefined;
  for (const file of candidates(query)) {
    const what = classify(file);
    if (what === 'executable') return { status: 'found', file };
    if (what === 'file') unusable ??= file;
  }
  if (query.platform === 'win32')
    unusable ??= filesOf(query, [query.command]).find((file) => classify(file) !== 'nothing');
  return unusable === undefined
    ? { status: 'command-not-found' }
    : { status: 'command-not-executable', file: unusable };
}

/**
 * Possible files of a command, in order. The current directory counts only for paths, and on POSIX if PATH contains it.
 * Windows itself searches it first, so any folder could substitute `node` or `npx`.
 */
export function candidates(query: CommandQuery): string[] {
  const { command, pathExtensions, platform } = query;
  return filesOf(query, platform === 'win32' ? withExtensions(command, pathExtensions) : [command]);
}

/** Each of the names, in each directory of the command. */
function filesOf({ command, directory, path, platform }: CommandQuery, names: readonly string[]): string[] {
  if (command === '') return [];
  const isWindows = platform === 'win32';
  const { resolve, delimiter } = isWindows ? win32 : posix;
  const isPath = command.includes('/') || (isWindows && /[\\:]/.test(command));
  const folders = isPath ? [directory] : isWindows ? windowsFolders(path) : path.split(delimiter);
  return folders.flatMap((folder) => names.map((name) => resolve(directory, folder, name)));
}

/** Absolute entries of PATH, without quotes. */
function windowsFolders(path: string): string[] {
  const entries = path.split(win32.delimiter).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  return entries.filter((entry) => /^[a-z]:[\\/]/i.test(entry) || /^[\\/]{2}[^\\/]/.test(entry));
}

/** Extensions that start without a file association. */
const startable: ReadonlySet<string> = new Set(['.com', '.exe', '.bat', '.cmd']);

function withExtensions(command: string, pathExtensions = '.COM;.EXE;.BAT;.CMD'): string[] {
  const extensions = pathExtensions.split(';').filter((extension) => startable.has(extension.toLowerCase()));
  const hasOne = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const extended = extensions.map((extension) => command + extension.toLowerCase());
  return hasOne ? [command, ...extended] : extended;
}
