import type { Command } from 'commander';
import { type ExitCode, exitCodes, type Io } from '../command.js';
import { type Candidate, complete, matching } from '../completion/complete.js';
import { argumentsFor, namesFor } from '../completion/known-names.js';
import { completionScript, type Shell } from '../completion/scripts.js';
import { printableLine } from '../output/print.js';

export async function completion(shell: Shell, { stdout }: Io): Promise<ExitCode> {
  stdout.write(completionScript(shell));
  return exitCodes.ok;
}

interface CompleteOptions {
  /** Words between `mcpx` and the cursor. */
  readonly words: readonly string[];
  /** The cursor stands after a blank, at the beginning of a new word. */
  readonly next?: boolean;
}

/** Prints candidates for the next word, one a line. Failures print nothing. */
export async function answerCompletion({ words, next }: CompleteOptions, program: Command, io: Io): Promise<ExitCode> {
  const completion = complete(program, next ? [...words, ''] : words);
  const { names: kind, typed, before, config, files } = completion;
  const names = kind === undefined ? [] : await namesFor({ kind, typed, config }, io).catch(() => []);
  const own = completion.arguments ? await argumentsFor(completion.arguments, { config }, io).catch(() => []) : [];
  const lines = [...completion.candidates, ...matching([...names, ...own], typed)]
    .filter(isSafe)
    .map((each) => candidateLine(each, before));
  io.stdout.write([...lines, ...(files ? [':files\n'] : [])].join(''));
  return exitCodes.ok;
}

/** The script quotes blanks, and nothing else that a shell interprets. */
function isSafe({ value }: Candidate): boolean {
  return /^[\p{L}\p{N}_.@%+=:,/-]+(?: [\p{L}\p{N}_.@%+=:,/-]+)*$/u.test(value);
}

function candidateLine({ value, description }: Candidate, before: string): string {
  return `${before}${value}\t${printableLine(description ?? '', 100)}\n`;
}
