import { posix, win32 } from 'node:path';

export interface CommandQuery {
  /** A name to be found on PATH, or a path. */
  readonly command: string;
  /** Directory that a relative path starts from. */
  readonly directory: string;
  /** Value of PATH. */
  readonly path: string;
  /** Value of PATHEXT; only Windows has one. */
  readonly pathExtensions?: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Looks at one path: a directory is nothing that could be run. */
export type LookAtFile = (file: string) => 'executable' | 'file' | 'nothing';

export type FoundCommand =
  | { readonly status: 'found'; readonly file: string }
  | { readonly status: 'command-not-executable'; readonly file: string }
  | { readonly status: 'command-not-found' };

/**
 * Finds the file that is run: on POSIX the first executable one on PATH, on Windows the first one with an extension of
 * PATHEXT that can be started. A file that may not be executed is only told when nothing better comes.
 */
export function findCommand(query: CommandQuery, lookAt: LookAtFile): FoundCommand {
  let unusable: string | undefined;
  for (const file of candidates(query)) {
    const what = lookAt(file);
    if (what === 'executable') return { status: 'found', file };
    if (what === 'file') unusable ??= file;
  }
  return unusable === undefined
    ? { status: 'command-not-found' }
    : { status: 'command-not-executable', file: unusable };
}

/**
 * Every file that could be meant, in order. The current directory is looked at where the command is a path, and on POSIX
 * where PATH names it. Windows itself looks there first, so that a folder could bring a `node` or `npx` of its own.
 */
export function candidates({ command, directory, path, pathExtensions, platform }: CommandQuery): string[] {
  if (command === '') return [];
  const isWindows = platform === 'win32';
  const { resolve, delimiter } = isWindows ? win32 : posix;
  const isPath = command.includes('/') || (isWindows && /[\\:]/.test(command));
  const folders = isPath ? [directory] : isWindows ? windowsFolders(path) : path.split(delimiter);
  const names = isWindows ? withExtensions(command, pathExtensions) : [command];
  return folders.flatMap((folder) => names.map((name) => resolve(directory, folder, name)));
}

/** Entries of PATH that do not depend on where a process is. Quotes around an entry belong to the list. */
function windowsFolders(path: string): string[] {
  const entries = path.split(win32.delimiter).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  return entries.filter((entry) => /^[a-z]:[\\/]/i.test(entry) || /^[\\/]{2}[^\\/]/.test(entry));
}

/** What can be started without asking which program opens such files. */
const startable: ReadonlySet<string> = new Set(['.com', '.exe', '.bat', '.cmd']);

function withExtensions(command: string, pathExtensions = '.COM;.EXE;.BAT;.CMD'): string[] {
  const extensions = pathExtensions.split(';').filter((extension) => startable.has(extension.toLowerCase()));
  const hasOne = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const extended = extensions.map((extension) => command + extension.toLowerCase());
  return hasOne ? [command, ...extended] : extended;
}
