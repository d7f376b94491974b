import { splitCommand } from '@x/internal/launch';
import { type ProgramEnd, runProgram } from './run-program.js';
import type { SecretContext } from './secret-resolver.js';
import { mostSecretBytes, secretText, unavailable } from './secret-text.js';

/**
 * `command:LINE`: the standard output of a program, without the last line end, such as `command:op read
 * op://vault/item/field`. No shell. Discards standard error, which may quote the secret. When the program exits, its
 * process group is ended.
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
      return end.code === 'ENOENT' ? 'was not found' : `could not be started: ${end.code}`;
    case 'too-much':
      return `wrote more than ${mostSecretBytes} bytes`;
    case 'killed':
      return `was ended by ${end.signal}`;
    case 'exited':
      return `ended with exit code ${end.code}; run it by hand to see why`;
  }
}
