import { split } from 'shlex';

export type SplitCommand =
  | {
      readonly words: readonly string[];
      /** Characters whose backslash is dropped, as by a shell. */
      readonly dropped: readonly string[];
    }
  | { readonly problem: string };

/**
 * Splits a command line by the quoting rules of a POSIX shell. Everything but quotes and backslashes is ordinary text.
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
    // The library reports two faults: an unclosed quote, and a trailing backslash.
    const endsWithBackslash = /(^|[^\\])(\\\\)*\\$/.test(command);
    return { problem: endsWithBackslash ? 'ends with a backslash' : 'has a quote that is not closed' };
  }
}

// Quoted texts, escaped characters, and a "$" before a quote. The library receives only single quotes: after double
// quotes it removes backslashes from the whole word, and it reads $'…' in its own way.
const pieces = /'[^']*'|"([^"\\]*(?:\\.[^"\\]*)*)"|\\(.)|\$(?=['"])/gs;

function unescaped(_piece: string, character: string): string {
  return character === '\n' ? '' : character;
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
