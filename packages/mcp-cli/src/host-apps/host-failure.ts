import { messageOf } from '@x/internal/errors';
import { isHostFileError } from '@x/mcp-host-sync';
import { CommandError, exitCodes } from '../exit-codes.js';

/** Converts an error with a host app's file to a `CommandError`; returns other errors unchanged. */
export function hostFailure(error: unknown): unknown {
  if (error instanceof AggregateError) {
    return new CommandError(exitCodes.failed, error.message, {
      details: error.errors.map((each: unknown) => messageOf(each)),
      hint: 'All other files were written.',
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
  'invalid-location': 'Use --scope project for files of a project.',
  'unknown-host': 'Run "mcpx sync --list" to see every host app.',
  locked: 'Another program has locked the file. Run it again later.',
};
