import { ManagerError } from '../errors.js';
import type { CommandCheck } from './command/check-command.js';

interface FailedLaunch {
  readonly server: string;
  readonly command: string;
  readonly cwd: string | undefined;
}

/**
 * `check` explains the system's code: ENOENT also means a missing directory or interpreter, EACCES an unreadable
 * directory on PATH.
 */
export function spawnError(
  error: NodeJS.ErrnoException,
  { server, command, cwd }: FailedLaunch,
  check: CommandCheck,
): ManagerError {
  const options = { server, cause: error };
  const cannot = `Server "${server}" cannot start:`;
  if (isExhaustion(error)) {
    const message = `${cannot} the system refused to run "${command}" (${error.code}): it is out of processes, files or memory. Free some, or raise the limit.`;
    return new ManagerError('spawn-failed', message, options);
  }
  switch (check.status) {
    case 'directory-not-found':
      return new ManagerError(
        check.status,
        `${cannot} its working directory ${cwd} is not a directory. ${check.hint}`,
        options,
      );
    case 'command-not-found':
      return new ManagerError(check.status, `${cannot} the command "${command}" was not found. ${check.hint}`, options);
    case 'command-not-executable':
      return new ManagerError(
        check.status,
        `${cannot} the file "${check.file}" may not be executed. ${check.hint}`,
        options,
      );
    case 'found':
      return unexplained(error, { command, cannot, options });
  }
}

function unexplained(
  error: NodeJS.ErrnoException,
  { command, cannot, options }: { command: string; cannot: string; options: { server: string; cause: unknown } },
): ManagerError {
  switch (error.code) {
    case 'ENOENT':
      return new ManagerError(
        'command-not-found',
        `${cannot} "${command}" exists, but the interpreter in its first line was not found. Install it, or correct that line.`,
        options,
      );
    case 'EACCES':
    case 'EPERM':
    case 'ENOEXEC':
      return new ManagerError(
        'command-not-executable',
        `${cannot} the file "${command}" may not be executed (${error.code}). It may be built for another kind of machine, or be on a volume that forbids execution.`,
        options,
      );
    case 'E2BIG':
      return new ManagerError(
        'spawn-failed',
        `${cannot} its arguments and its environment are together larger than the system allows (E2BIG). Pass long values in a file.`,
        options,
      );
    default:
      return new ManagerError(
        'spawn-failed',
        `${cannot} the system refused to run "${command}" (${error.code ?? error.message}).`,
        options,
      );
  }
}

/** True if the same launch fails each time: it is too large, or contains text that no system accepts. */
export function isDeterministic(error: unknown): boolean {
  return error instanceof Error && refusedCodes.has(String((error as NodeJS.ErrnoException).code));
}

const refusedCodes = new Set(['E2BIG', 'ERR_INVALID_ARG_VALUE']);
const exhaustionCodes = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** True if the machine, not just this server, has run out of processes, files or memory. */
export function isExhaustion(error: unknown): boolean {
  return error instanceof Error && exhaustionCodes.has(String((error as NodeJS.ErrnoException).code));
}
