import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { messageOf } from '@x/internal/errors';
import {
  currentPlace,
  detectHosts,
  type HostFileError,
  type HostPlace,
  isHostFileError,
  listHosts,
} from '@x/mcp-host-sync';
import { CommandError, exitCodes, type Io } from '../command.js';
import { inCommandWords } from '../output/command-words.js';

/**
 * The named host apps, or all that have a file of the scope.
 *
 * @throws {CommandError} None was named, and none is found.
 */
export async function chosenHosts(
  names: readonly string[],
  place: HostPlace,
  scope: ScopeChoice,
): Promise<readonly string[]> {
  if (names.length > 0) return names;
  const found = await foundHosts(place, scope);
  if (found.length > 0) return found.map(({ host }) => host);
  const where = scope === 'project' ? 'in this project' : 'of this user';
  throw new CommandError(exitCodes.failed, `No config file of a host app was found ${where}.`, {
    hint: `Name one, such as "cursor" or "claude". Known: ${families().join(', ')}.`,
  });
}

export async function foundHosts(place: HostPlace, scope: ScopeChoice): ReturnType<typeof detectHosts> {
  const found = await detectHosts(place);
  return found.filter((host) => (host.scope === 'user') === (scope === 'user'));
}

function families(): readonly string[] {
  return [...new Set(listHosts().map(({ family }) => family))];
}

export type ScopeChoice = 'user' | 'project';

/**
 * Location of the user's host app files; with `project` also of those in the working directory.
 *
 * @param hosts - If all are ids of files of a project, such as `cursor-project`, the scope is theirs.
 */
export function hostPlace(
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  scope: ScopeChoice,
  hosts: readonly string[] = [],
): HostPlace {
  const { platform } = currentPlace();
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  const home = named !== undefined && isAbsolute(named) ? named : homedir();
  const isOfProject = scope === 'project' || (hosts.length > 0 && hosts.every(isProjectFile));
  return { platform, env, home, project: isOfProject ? cwd : undefined };
}

function isProjectFile(host: string): boolean {
  return listHosts().some(({ id, scope }) => id === host && scope !== 'user');
}

/** Converts an error with a host app's file to a `CommandError`; returns other errors unchanged. */
export function hostFailure(error: unknown): unknown {
  if (error instanceof AggregateError) {
    return new CommandError(exitCodes.failed, error.message, {
      details: error.errors.map((each: unknown) => inCommandWords(messageOf(each))),
      hint: 'All other files were written.',
      cause: error,
    });
  }
  if (!isHostFileError(error)) return error;
  const exitCode = error.code === 'unknown-host' ? exitCodes.usage : exitCodes.failed;
  return new CommandError(exitCode, `${inCommandWords(error.message)}.`.replace(/([.?!])\.$/, '$1'), {
    hint: hintFor(error),
    cause: error,
  });
}

/** Messages about other parts of a location say what helps. */
function hintFor({ code, missing }: HostFileError): string | undefined {
  return missing === 'project' ? 'Use --scope project for files of a project.' : hints[code];
}

const hints: Readonly<Record<string, string>> = {
  'changed-since-plan': 'Another program wrote to the file meanwhile. Run it again to see what would change now.',
  'unknown-host': 'Run "mcpx sync --list" to see every host app.',
  locked: 'Another program has locked the file. Run it again later.',
};
