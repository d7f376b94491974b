import { split } from 'shlex';

export type SplitCommand =
  | {
      readonly words: readonly string[];
      /** Characters that a backslash stands before in vain: outside of quotes it is dropped there, as by a shell. */
      readonly dropped: readonly string[];
    }
  | { readonly problem: string };

/**
 * The words of a command line, by the quoting rules of a POSIX shell. Only quotes and backslashes mean anything:
 * variables, globs, pipes and redirections are ordinary characters.
 */
export function splitCommand(command: string): SplitCommand {
  const dropped: string[] = [];
  const plain = command.replace(pieces, (piece, inDouble?: string, escaped?: string) => {
    if (piece === '$') return '\\$';
    if (inDouble !== undefined) return inSingleQuotes(inDouble.replace(/\\([$`"\\\n])/g, unescaped));
    if (escaped !== undefined && /\w/.test(escaped)) dropped.push(escaped);
    return piece;
  });
  try {
    return { words: split(plain), dropped };
  } catch {
    // The library has two complaints: a quote that is not closed, and a backslash with nothing after it.
    const endsWithBackslash = /(^|[^\\])(\\\\)*\\$/.test(command);
    return { problem: endsWithBackslash ? 'ends with a backslash' : 'has a quote that is not closed' };
  }
}

// A text in single quotes, one in double quotes, a character behind a backslash, and a "$" before a quote. The library is
// given single quotes only, and no "$" before them: when it ends a text in double quotes it takes backslashes out of the
// whole word so far, and it reads $'…' in a way of its own.
const pieces = /'[^']*'|"([^"\\]*(?:\\.[^"\\]*)*)"|\\(.)|\$(?=['"])/gs;

function unescaped(_piece: string, character: string): string {
  return character === '\n' ? '' : character;
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
