import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { highestVersionFirst } from '@x/internal/files';
import { optionTable } from '@x/internal/options';
import { hintForDirectory, hintForMissing, hintForUnusable } from './command-hint.js';
import { commandPath } from './command-path.js';
import { type ClassifyFile, findCommand } from './find-command.js';
import { installDirectories } from './install-directories.js';

/** The command of a server's spec. */
export interface CommandToCheck {
  /** A name on PATH, or a path. */
  readonly command: string;
  /** Working directory. Default: the host's. */
  readonly cwd?: string | undefined;
  /** Variables of the spec; their PATH takes precedence. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Environment with the inherited PATH. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** See the manager's option. Default `inherited`. */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
}

/** Result of a check. `hint` suggests a remedy to people. */
export type CommandCheck =
  | {
      readonly status: 'found';
      /** The file to run. */
      readonly file: string;
    }
  | {
      readonly status: 'command-not-found';
      readonly hint: string;
      /** Files of that name in usual install directories outside PATH. */
      readonly elsewhere: readonly string[];
    }
  | {
      readonly status: 'command-not-executable';
      readonly file: string;
      readonly hint: string;
    }
  | { readonly status: 'directory-not-found'; readonly hint: string };

/** Further keys are those of a spec. */
const commandToCheck = optionTable<CommandToCheck>('ignored')({
  command: { kind: 'other' },
  cwd: { kind: 'text' },
  env: { kind: 'object' },
  environment: { kind: 'object' },
  commandPath: { kind: 'word', words: ['inherited', 'login-shell'], default: 'inherited' },
});

/**
 * Checks whether a server's command could start, without starting it. `status` equals the error code of a start.
 *
 * @throws {TypeError} When `command` is empty or no string.
 */
export async function checkCommand(options: CommandToCheck): Promise<CommandCheck> {
  const { command, cwd, env = {}, environment = process.env, commandPath: source } = commandToCheck.read(options);
  if (typeof command !== 'string' || command === '') throw new TypeError('command must be a non-empty string');
  const path = await commandPath({ source, env, environment });
  return resolveCommand({ command, cwd, path, source, inherited: environment });
}

interface CommandResolution {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly path: string;
  readonly source: 'inherited' | 'login-shell';
  readonly inherited: NodeJS.ProcessEnv;
}

export function resolveCommand({ command, cwd, path, source, inherited }: CommandResolution): CommandCheck {
  const { platform } = process;
  const directory = resolve(cwd ?? '.');
  if (!isDirectory(directory)) return { status: 'directory-not-found', hint: hintForDirectory };
  const pathExtensions = inherited.PATHEXT;
  const query = { command, directory, pathExtensions, platform };
  const found = findCommand({ ...query, path }, classifyFile);
  if (found.status === 'found') return found;
  if (found.status === 'command-not-executable') return { ...found, hint: hintForUnusable(found.file, platform) };
  const isPath = platform === 'win32' ? /[\\/:]/.test(command) : command.includes('/');
  const elsewhere = isPath ? [] : findElsewhere(query, inherited);
  return { status: found.status, hint: hintForMissing(command, { elsewhere, isPath, directory, source }), elsewhere };
}

function findElsewhere(
  query: { command: string; directory: string; pathExtensions: string | undefined; platform: NodeJS.Platform },
  inherited: NodeJS.ProcessEnv,
): readonly string[] {
  const directories = installDirectories({
    environment: inherited,
    platform: query.platform,
    node: process.execPath,
  }).flatMap(expand);
  const files = directories.flatMap((path) => {
    const found = findCommand({ ...query, path }, classifyFile);
    return found.status === 'found' ? [found.file] : [];
  });
  return [...new Set(files)];
}

/** Replaces `*` by the directories there, highest version first. */
function expand(pattern: string): readonly string[] {
  const { sep } = process.platform === 'win32' ? win32 : posix;
  const [before, after] = pattern.split(`${sep}*`);
  if (before === undefined || after === undefined) return [pattern];
  return highestVersionFirst(namesIn(before)).map((name) => before + sep + name + after);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const classifyFile: ClassifyFile = (file) => {
  try {
    if (!statSync(file).isFile()) return 'nothing';
  } catch {
    return 'nothing';
  }
  try {
    accessSync(file, constants.X_OK); // on Windows it only checks that the file exists
    return 'executable';
  } catch {
    return 'file';
  }
};
