import { splitCommand } from '@x/internal/launch';
import { inSingleQuotes } from '@x/internal/text';

/** Shell of a host that joins command and arguments with blanks: `/bin/sh -c`, or `cmd.exe /c` on Windows. */
export type LineShell = 'sh' | 'cmd';

export function lineShell(platform: string): LineShell {
  return platform === 'win32' ? 'cmd' : 'sh';
}

/**
 * Writes a word so that the shell passes it on unchanged; `undefined` if that is impossible.
 *
 * In `cmd.exe` quotes do not work: Node.js passes the line to it as one argument, with a backslash before each quote.
 */
export function shellWord(word: string, shell: LineShell, position: 'program' | 'argument'): string | undefined {
  if (safeWords[shell][position].test(word)) return word;
  return shell === 'sh' ? inSingleQuotes(word) : undefined;
}

const safeWords = {
  // A program with "=" would be an assignment.
  sh: { program: /^[\w./:@%+,-]+$/, argument: /^[\w./:@%+,=-]+$/ },
  // "/" starts an option after a program. A backslash at the end is doubled.
  cmd: { program: /^[\w.:+-][\w.:+~\\-]*(?<!\\)$/, argument: /^[\w.:+~\\/@#,=-]+(?<!\\)$/ },
} as const;

/**
 * Splits a line into the words that its shell makes of it. A line with operators or expansions becomes a call of the
 * shell; `undefined` if that is impossible.
 */
export function wordsOfLine(line: string, shell: LineShell): readonly string[] | undefined {
  if (shell === 'cmd') return /["^%!&|<>()\r\n]/.test(line) ? undefined : line.split(/[ \t]+/).filter(Boolean);
  const bare = line.replace(literalPieces, '');
  const isPlain = !/[|&;<>()$`*?[\]{}!#~'"\\\r\n]/.test(bare) && !/^\s*[^\s]*=/.test(bare);
  const split = splitCommand(line);
  return isPlain && 'words' in split ? split.words : ['/bin/sh', '-c', line];
}

// Variables of the form "${NAME}", which the host replaces itself, and quoted texts without other expansions.
const literalPieces = /\$\{\w+(?::-[^{}]*)?\}|'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$\{\w+(?::-[^{}]*)?\})*"|\\[^\n]/g;
