import { split } from 'shlex';

export type SplitCommand = { readonly words: readonly string[] } | { readonly problem: string };

/**
 * The words of a command line, by the quoting rules of a POSIX shell. Only quotes and backslashes mean anything:
 * variables, globs, pipes and redirections are ordinary characters.
 */
export function splitCommand(command: string): SplitCommand {
  try {
    return { words: split(command) };
  } catch {
    // The library has two complaints: a quote that is not closed, and a backslash with nothing after it.
    const endsWithBackslash = /(^|[^\\])(\\\\)*\\$/.test(command);
    return { problem: endsWithBackslash ? 'ends with a backslash' : 'has a quote that is not closed' };
  }
}
