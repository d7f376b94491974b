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
 * Finds the file that the system would run: on POSIX the first executable one on PATH, on Windows also with each
 * extension of PATHEXT. A file that may not be executed is only told when nothing better comes.
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

/** Every file that could be meant, in the order in which the system looks. */
export function candidates({ command, directory, path, pathExtensions, platform }: CommandQuery): string[] {
  if (command === '') return [];
  const isWindows = platform === 'win32';
  const { resolve, delimiter } = isWindows ? win32 : posix;
  const isPath = command.includes('/') || (isWindows && /[\\:]/.test(command));
  // An empty entry of PATH is the current directory. Windows looks there first, in any case.
  const folders = isPath ? [directory] : [...(isWindows ? [directory] : []), ...path.split(delimiter)];
  const names = isWindows ? withExtensions(command, pathExtensions) : [command];
  return folders.flatMap((folder) => {
    const unquoted = isWindows ? folder.replace(/^"(.*)"$/, '$1') : folder;
    return names.map((name) => resolve(directory, unquoted, name));
  });
}

function withExtensions(command: string, pathExtensions = '.EXE;.CMD;.BAT;.COM'): string[] {
  const extensions = pathExtensions.split(';').filter((extension) => extension !== '');
  const hasOne = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const extended = extensions.map((extension) => command + extension.toLowerCase());
  return hasOne ? [command, ...extended] : extended;
}
