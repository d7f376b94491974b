import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { hintForDirectory, hintForMissing, hintForUnusable } from './command-hint.js';
import { commandPath } from './command-path.js';
import { findCommand, type LookAtFile } from './find-command.js';
import { usualPlaces } from './install-directories.js';

/** A command as a server's spec has it. */
export interface CommandToCheck {
  /** A name to be found on PATH, or a path. */
  readonly command: string;
  /** Directory that the server would run in. Default: the host's. */
  readonly cwd?: string | undefined;
  /** Variables that the server's spec declares; a PATH among them wins. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Where PATH is inherited from. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** As the manager's option. Default `inherited`. */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
}

/** `hint` says to a person what would work. */
export type CommandCheck =
  | {
      readonly status: 'found';
      /** The file that would be run. */
      readonly file: string;
    }
  | {
      readonly status: 'command-not-found';
      readonly hint: string;
      /** Files of that name outside of PATH, in places where installers put them. */
      readonly elsewhere: readonly string[];
    }
  | {
      readonly status: 'command-not-executable';
      readonly file: string;
      readonly hint: string;
    }
  | { readonly status: 'directory-not-found'; readonly hint: string };

/**
 * Whether a server's command could be started, without starting it. The words of `status` are the codes of the errors
 * that a start would fail with.
 *
 * @throws {TypeError} When `command` is empty or no text.
 */
export async function checkCommand({
  command,
  cwd,
  env = {},
  environment = process.env,
  commandPath: source = 'inherited',
}: CommandToCheck): Promise<CommandCheck> {
  if (typeof command !== 'string' || command === '') throw new TypeError('command must be text that is not empty');
  const path = await commandPath({ source, env, environment });
  return lookUp({ command, cwd, path, source, inherited: environment });
}

export interface CommandLookUp {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly path: string;
  readonly source: 'inherited' | 'login-shell';
  /** Of the host: names the home directory and PATHEXT. */
  readonly inherited: NodeJS.ProcessEnv;
}

export function lookUp({ command, cwd, path, source, inherited }: CommandLookUp): CommandCheck {
  const { platform } = process;
  const directory = resolve(cwd ?? '.');
  if (!isDirectory(directory)) return { status: 'directory-not-found', hint: hintForDirectory };
  const pathExtensions = inherited.PATHEXT;
  const query = { command, directory, pathExtensions, platform };
  const found = findCommand({ ...query, path }, lookAtFile);
  if (found.status === 'found') return found;
  if (found.status === 'command-not-executable') return { ...found, hint: hintForUnusable(found.file) };
  const isPath = platform === 'win32' ? /[\\/:]/.test(command) : command.includes('/');
  const elsewhere = isPath ? [] : findElsewhere(query, inherited);
  return { status: found.status, hint: hintForMissing(command, { elsewhere, isPath, directory, source }), elsewhere };
}

function findElsewhere(
  query: { command: string; directory: string; pathExtensions: string | undefined; platform: NodeJS.Platform },
  inherited: NodeJS.ProcessEnv,
): readonly string[] {
  const places = usualPlaces({ environment: inherited, platform: query.platform, node: process.execPath }).flatMap(
    expand,
  );
  const files = places.flatMap((path) => {
    const found = findCommand({ ...query, path }, lookAtFile);
    return found.status === 'found' ? [found.file] : [];
  });
  return [...new Set(files)];
}

/** Newest first where the names are versions. */
function expand(place: string): readonly string[] {
  const { sep } = process.platform === 'win32' ? win32 : posix;
  const [before, after] = place.split(`${sep}*`);
  if (before === undefined || after === undefined) return [place];
  const byVersion = new Intl.Collator('en', { numeric: true });
  return namesIn(before)
    .toSorted((one, other) => byVersion.compare(other, one))
    .map((name) => before + sep + name + after);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // that installer was never used here
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, or behind a directory that may not be entered: no server can run there either way
  }
}

const lookAtFile: LookAtFile = (file) => {
  try {
    if (!statSync(file).isFile()) return 'nothing';
  } catch {
    return 'nothing';
  }
  try {
    accessSync(file, constants.X_OK); // on Windows: that it is there; PATHEXT says what can be run
    return 'executable';
  } catch {
    return 'file';
  }
};
