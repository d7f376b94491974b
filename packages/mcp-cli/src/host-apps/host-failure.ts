import { messageOf } from '@x/internal/errors';
import { isHostFileError } from '@x/mcp-host-sync';
import { CommandError, exitCodes } from '../exit-codes.js';

/** A failure with the file of a host app as a command tells it; anything else as it is. */
export function hostFailure(error: unknown): unknown {
  if (error instanceof AggregateError) {
    return new CommandError(exitCodes.failed, error.message, {
      details: error.errors.map((each: unknown) => messageOf(each)),
      hint: 'Files that are not named here were written.',
      cause: error,
    });
  }
  if (!isHostFileError(error)) return error;
  const exitCode = error.code === 'unknown-host' ? exitCodes.usage : exitCodes.failed;
  return new CommandError(exitCode, `${error.message}.`.replace(/([.?!])\.$/, '$1'), {
    hint: hints[error.code],
    cause: error,
  });
}

const hints: Readonly<Record<string, string>> = {
  'changed-since-plan': 'Another program wrote to the file meanwhile. Run it again to see what would change now.',
  'invalid-location': 'Files of a project are meant with --scope project.',
  'unknown-host': 'Run "mcpx sync --list" to see every host app.',
  locked: 'Another program keeps the file to itself. Run it again when that is done.',
};
