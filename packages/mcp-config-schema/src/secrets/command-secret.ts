import { splitCommand } from '@x/internal/launch';
import { type ProgramEnd, runProgram } from './run-program.js';
import type { SecretContext } from './secret-resolver.js';
import { mostSecretBytes, secretText, unavailable } from './secret-text.js';

/**
 * `command:LINE`: what a program writes to its standard output, without the end of the last line, as in
 * `command:op read op://vault/item/field`. The line is split into words and never given to a shell. What the program
 * writes elsewhere is dropped: it may quote the secret. The answer counts when the program is over, and what it left
 * running in its process group is ended then.
 */
export async function commandSecret(line: string, { root, env, signal }: SecretContext): Promise<string> {
  const split = splitCommand(line);
  if ('problem' in split) throw unavailable(`the command line ${split.problem}`);
  const [program, ...args] = split.words;
  if (program === undefined || program === '') throw unavailable('the command line is empty');
  const end = await runProgram(program, args, { cwd: root, env, signal, mostBytes: mostSecretBytes });
  if (end.kind !== 'exited' || end.code !== 0) throw unavailable(`${program} ${howItFailed(end)}`);
  return secretText(end.output, `what ${program} wrote`);
}

function howItFailed(end: ProgramEnd): string {
  switch (end.kind) {
    case 'not-started':
      return end.code === 'ENOENT' ? 'is not a program that can be found' : `could not be started: ${end.code}`;
    case 'too-much':
      return `wrote more than ${mostSecretBytes} bytes`;
    case 'killed':
      return `was ended by ${end.signal}`;
    case 'exited':
      return `ended with exit code ${end.code}; run it by hand to see why`;
  }
}
