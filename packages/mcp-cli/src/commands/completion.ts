import type { Command } from 'commander';
import { type Candidate, complete, fitting } from '../completion/complete.js';
import { namesFor } from '../completion/known-names.js';
import { completionScript, type Shell } from '../completion/scripts.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/printable.js';

/** `mcpx completion <shell>`: what the shell has to read. */
export async function completion(shell: Shell, { stdout }: Io): Promise<ExitCode> {
  stdout.write(completionScript(shell));
  return exitCodes.ok;
}

export interface CompleteOptions {
  /** What stands after `mcpx`, up to the cursor. */
  readonly words: readonly string[];
  /** Another word is about to begin. */
  readonly next?: boolean;
}

/** `mcpx __complete -- [word…]`: what may come next, a line each. Whatever goes wrong, it is quiet. */
export async function answerCompletion({ words, next }: CompleteOptions, program: Command, io: Io): Promise<ExitCode> {
  const asked = complete(program, next ? [...words, ''] : words);
  const { names: kind, typed, before, config, files } = asked;
  const names = kind === undefined ? [] : await namesFor({ kind, typed, config }, io).catch(() => []);
  const lines = [...asked.candidates, ...fitting(names, typed)]
    .filter(isSafe)
    .map((each) => candidateLine(each, before));
  io.stdout.write([...lines, ...(files ? [':files\n'] : [])].join(''));
  return exitCodes.ok;
}

/** A shell puts it on the command line as it is, so it must mean nothing there but itself. */
function isSafe({ value }: Candidate): boolean {
  return /^[\p{L}\p{N}_.@%+=:,/-]+$/u.test(value);
}

function candidateLine({ value, description }: Candidate, before: string): string {
  return `${before}${value}\t${printableLine(description ?? '', 100)}\n`;
}
