import { execFile } from 'node:child_process';
import { ConfigError } from '../errors.js';
import { splitCommand } from '../servers/split-command.js';
import type { SecretContext } from './secret-resolver.js';

const mostBytes = 65_536;

/**
 * `command:LINE`: what a program writes to its standard output, without the end of the last line, as in
 * `command:op read op://vault/item/field`. The line is split into words and never given to a shell. What the program
 * writes elsewhere is dropped: it may quote the secret.
 */
export async function commandSecret(line: string, { root, env, signal }: SecretContext): Promise<string> {
  const split = splitCommand(line);
  if ('problem' in split) throw unavailable(`the command line ${split.problem}`);
  const [program, ...args] = split.words;
  if (program === undefined || program === '') throw unavailable('the command line is empty');
  const output = await run(program, args, { cwd: root, env, signal });
  return output.replace(/\r?\n$/, '');
}

interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

function run(program: string, args: readonly string[], { cwd, env, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      env: { ...env },
      signal,
      maxBuffer: mostBytes,
      killSignal: 'SIGKILL',
      windowsHide: true,
    } as const;
    const child = execFile(program, args, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (signal.aborted) reject(signal.reason);
      else reject(unavailable(`${program} ${howItFailed(error)}`));
    });
    child.on('error', () => undefined); // reported above; writing to a program that never ran is no news
    child.stdin?.on('error', () => undefined).end();
  });
}

/** The error itself is not passed on: it holds the whole output. */
function howItFailed({ code, signal }: { readonly code?: unknown; readonly signal?: unknown }): string {
  if (code === 'ENOENT') return 'is not a program that can be found';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `wrote more than ${mostBytes} bytes`;
  if (typeof code === 'number') return `ended with exit code ${code}; run it by hand to see why`;
  return typeof signal === 'string' ? `was ended by ${signal}` : `could not be started: ${String(code)}`;
}

function unavailable(message: string): ConfigError {
  return new ConfigError('secret-unavailable', message);
}
